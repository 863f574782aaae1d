#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/time_kinds.h"
#include "graph/unit/unit.h"

namespace xsp {

// A stretch in which a device did nothing.
struct IdleGap {
  TimeRange time;            // On the trace's clock.
  std::uint32_t device = 0;  // A row of IdleReport::devices.
  TaskId next = {};          // The operation that ended it; none at the end of the window.
  IdleCause main_cause = IdleCause::kUnexplained;  // The one that took most of it.
  DurationNs main_ns = 0;
  TaskId host = {};          // The host task before which, or in which, the host spent most of it,
  TimeRange host_time = {};  // and when.
  DurationNs unexplained = 0;
};

// A stretch of untraced host time while a device starved.
struct StarvingHost {
  TimeRange time;
  TaskId before;  // The host task that came next.
};

struct IdleTime {
  DurationNs ns = 0;
  std::uint32_t count = 0;  // Gaps that had a share of this.
};

// A GPU, whichever processes use it (see DeviceMap).
struct DeviceIdle {
  std::uint32_t number = 0;  // As people know it.
  DurationNs busy = 0;       // At least one operation or migration was on it.
  DurationNs idle = 0;       // With `busy` it makes the time that was looked at.
  std::array<IdleTime, kIdleCauseCount> causes{};  // Sum to `idle`.

  const IdleTime& Of(IdleCause cause) const { return causes[static_cast<std::size_t>(cause)]; }
};

struct IdleReport {
  DurationNs length = 0;            // Of the time that was looked at.
  std::vector<DeviceIdle> devices;  // Row for row those of DeviceMap, and of SumWork.
  std::vector<IdleGap> gaps;        // By device, then by time.
  std::vector<StarvingHost> hosts;  // Behind kHostGap and kOffCpu, in the order of gaps.

  // What people call the devices, for whoever outlives this.
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> result;
    for (const DeviceIdle& device : devices) result.push_back(device.number);
    return result;
  }
  DurationNs total() const;
  // Time whose cause the graph knows. A gap is explained if the operation that ended it began
  // within 5 µs, or 10 % of the gap, of when the graph says it had to, given what was measured
  // before it; else it is explained but for the difference.
  DurationNs explained() const;
  // The same, but a gap with too large a difference does not count at all.
  DurationNs explained_whole() const;
};

// Finds what each device waited for. `guided` comes from SimulateGuided. The windows are cut out of
// the measured time, on the trace's clock; they follow each other.
IdleReport FindIdle(const TaskGraph& graph, const Schedule& guided,
                    const std::vector<TimeRange>& windows);

// Makes figures of a unit's steps those of one of them: times are means, and causes still sum to
// the idle time. The gaps stay as they are.
void TakeMeans(const Unit& unit, IdleReport& report);

}  // namespace xsp
