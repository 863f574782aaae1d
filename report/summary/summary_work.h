#pragma once

#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "report/tables/report.h"

namespace xsp {

// What devices were busy with, and why they were idle, for the first look: short tables. Several
// devices, called by their labels, stand side by side; how long each was idle has been said. Fewer
// rows where the screen is long already.
void AddWorkSections(const std::vector<DeviceWork>& work, const IdleReport& idle,
                     const std::vector<std::string>& labels, bool is_long, Report& report);

// The same for scripts: every row of every device.
Table WorkTable(const std::vector<DeviceWork>& work);

// Each with the rows of its work.
Table DevicesTable(const std::vector<DeviceWork>& work, const IdleReport& idle);

}  // namespace xsp
