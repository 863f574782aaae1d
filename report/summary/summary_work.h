#pragma once

#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "report/tables/report.h"

namespace xsp {

// What devices were busy with, and why they were idle, for the first look: short tables, several
// devices side by side.
void AddWorkSections(const std::vector<DeviceWork>& work, const IdleReport& idle,
                     std::vector<Section>& sections);

// The same for scripts: every row of every device.
Table WorkTable(const std::vector<DeviceWork>& work);

// [{device, name, busy_ns, idle_ns, work: [{what, ns, count, bytes}]}].
Json DevicesToJson(const std::vector<DeviceWork>& work, const IdleReport& idle);

}  // namespace xsp
