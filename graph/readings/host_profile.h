#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readings/idle.h"
#include "graph/readings/open_ranges.h"
#include "graph/task_graph.h"
#include "graph/unit/unit.h"

namespace xsp {

// From what it is known what the host did.
enum class ActivitySource : std::uint8_t {
  kRange,   // The innermost range that was open.
  kOsCall,  // An operating-system call.
  kOffCpu,  // The thread was not scheduled.
  kSample,  // A function in which the thread was sampled.
};
std::string_view NameOf(ActivitySource source);  // "range", "os_call", "off_cpu", "sample".

// Something the host did while a device starved.
struct HostActivity {
  ActivitySource source = ActivitySource::kRange;
  std::string name;
  DurationNs ns = 0;        // For samples: the starving time, shared out by samples.
  std::uint32_t count = 0;  // Stretches, calls or samples.
};

// A profile of untraced host time: each source tells its own story of the same time.
struct HostProfile {
  DurationNs total = 0;                  // Of all stretches.
  std::vector<HostActivity> activities;  // By source; within it the longest first.
  bool has_samples = false;              // The trace has CPU samples at all;
  bool has_os_calls = false;             // and operating-system calls,
  bool has_scheduling = false;           // and thread scheduling.
};

// Makes figures of a unit's steps those of one of them. Sources need not add up to the total.
void TakeMeans(const Unit& unit, HostProfile& profile);

// What the host did in the stretches that starved devices.
HostProfile ProfileHost(const TaskGraph& graph, const OpenRanges& ranges,
                        const std::vector<StarvingHost>& stretches);

// What `xsp idle` tells of a unit; where it has several steps, of one of them.
struct IdleAnalysis {
  Unit unit;
  DurationNs replayed =
      0;  // The unit in replay: how far that is off tells how far to trust causes.
  IdleReport idle;
  HostProfile profile;  // What the host did meanwhile.
};
IdleAnalysis AnalyzeIdle(const TaskGraph& graph, const OpenRanges& ranges, const Steps& steps,
                         const Unit& unit);

}  // namespace xsp
