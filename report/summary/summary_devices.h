#pragma once

#include "report/tables/report.h"
#include "sim/diagnosis/summary.h"

namespace xsp {

// Of several devices: a line for each (compute, communication, idle, who is late), and at most so
// many of the collectives.
void AddDeviceLines(const Summary& summary, std::size_t collectives, Report& report);

// Kernels of several devices: a row for each name, with a column for each device. At most `top`.
Table KernelsByDevice(const std::vector<SummaryKernel>& kernels,
                      const std::vector<DeviceTimes>& devices, std::size_t top);

Json CollectivesToJson(const std::vector<CollectiveSum>& collectives);

}  // namespace xsp
