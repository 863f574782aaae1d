#pragma once

#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "report/tables/report.h"

namespace xsp {

// What a device was busy with, and why it was idle, for the first look: short tables of so many
// rows; the rest of each is one row more.
void AddWorkSections(const DeviceWork& work, const IdleReport& idle, std::size_t work_rows,
                     std::size_t cause_rows, Report& report);
// Of several devices, called by their labels, side by side; how long each was idle has been said.
Table WorkByDevice(const std::vector<DeviceWork>& work, const IdleReport& idle,
                   const std::vector<std::string>& labels, std::size_t rows);

// The same for scripts: every row of every device.
Table WorkTable(const std::vector<DeviceWork>& work);

// Each with the rows of its work.
Table DevicesTable(const std::vector<DeviceWork>& work, const IdleReport& idle);

}  // namespace xsp
