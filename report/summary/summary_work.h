#pragma once

#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "report/tables/report.h"

namespace xsp {

// What devices were busy with, and why they were idle, for the first look: short tables, several
// devices side by side.
void AddWorkSections(const std::vector<DeviceWork>& work, const IdleReport& idle, Report& report);

// The same for scripts: every row of every device.
Table WorkTable(const std::vector<DeviceWork>& work);

// Each with the rows of its work.
Table DevicesTable(const std::vector<DeviceWork>& work, const IdleReport& idle);

}  // namespace xsp
