#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// How one of several devices spent the unit: a line of the first look. Compute, exposed and idle
// sum to the unit.
struct DeviceTimes {
  std::uint32_t number = 0;
  std::string label;        // "GPU 0"; "rank 1 GPU 0" where several ranks have one of that number.
  DurationNs compute = 0;   // Something else than communication was at work.
  DurationNs transfer = 0;  // In collectives: from when the last rank had come,
  DurationNs waiting = 0;   // and before that;
  DurationNs either = 0;    // both, where only one rank was recorded.
  DurationNs exposed = 0;   // Communication beside which nothing else was at work.
  DurationNs idle = 0;
  bool is_late = false;  // The others wait for it.
};

// All collectives of one operation and size.
struct CollectiveSum {
  std::string operation;     // "all-reduce".
  std::uint64_t bytes = 0;   // Of one; 0: not recorded.
  std::uint32_t count = 0;   // On each device, in a unit.
  DurationNs ns = 0;         // The mean of one, from when the last rank has come.
  double bus_bandwidth = 0;  // Bytes per second over each link; 0: unknown.
};

// By device, in the order of `work`; what each did in `times`, for one unit.
std::vector<DeviceTimes> TimesOfDevices(const TaskGraph& graph, const std::vector<TimeRange>& times,
                                        const std::vector<DeviceWork>& work, const IdleReport& idle,
                                        const Unit& unit);

// Those that begin in `times`; the ones that took longest together first.
std::vector<CollectiveSum> CollectivesIn(const TaskGraph& graph, const Hierarchy& hierarchy,
                                         const std::vector<TimeRange>& times, const Unit& unit);

// What people call each device, in the order of the map: by its number, and by its rank where that
// is not enough.
std::vector<std::string> DeviceLabels(const TaskGraph& graph);

}  // namespace xsp
