#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// What a piece of a critical path is.
enum class PathKind : std::uint8_t {
  kKernel = 0,
  kCollective,
  kCopy,
  kMemset,
  kGraph,       // A CUDA graph traced as one piece.
  kStreamGap,   // Between two operations of a stream (or across streams).
  kSubmit,      // From the call to the begin of its operation.
  kLaunch,      // A launching call's own cost.
  kCall,        // Another call's own cost.
  kAllocation,  // Allocation, release, module loading: its own cost and the return from its wait.
  kDataLoading,
  kHostGap,    // Untraced host time.
  kOffCpu,     // The part of it in which the thread was not scheduled.
  kSyncTail,   // From the end of awaited work to the return of the call that waited.
  kCopyTail,   // The same for a blocking copy.
  kQueueTail,  // The same for a full launch queue.
  kThreadHandoff,
  kStart,  // Before anything that was recorded.
};
inline constexpr std::size_t kPathKindCount = static_cast<std::size_t>(PathKind::kStart) + 1;
std::string_view NameOf(PathKind kind);  // "kernel", "host_gap".

// One piece: it ends where the next one begins. Pieces may be of negative length: a call may
// return, or work begin, a little before what it hangs on is over on the device's clock.
struct PathSegment {
  PathKind kind = PathKind::kStart;
  TaskId task;  // The task it belongs to; for gaps and tails, the one that waited.
  SimTime begin;
  SimTime end;
};

// The chain of tasks and waits that fills a stretch of simulated time without a hole.
struct CriticalPath {
  SimSpan span;
  std::vector<PathSegment> segments;  // In order of time; their lengths sum to the span's.
};

// The path that leads to the last thing that finishes by the end of `span`.
CriticalPath FindCriticalPath(const TaskGraph& graph, const Schedule& schedule, SimSpan span);
// One for each of several spans, which follow each other in time.
std::vector<CriticalPath> FindCriticalPaths(const TaskGraph& graph, const Schedule& schedule,
                                            const std::vector<SimSpan>& spans);

// Slack that is not limited by anything.
inline constexpr DurationNs kEndlessSlack = std::numeric_limits<DurationNs>::max() / 2;

// How much longer each task could work, or later begin, without the last of what is over by `end`
// being over later; endless for what nothing waits for that is over by then. Where several things
// are waited for across streams by events, only the last of them counts. `answers` must come from
// the same simulation of the unchanged graph.
PerTask<DurationNs> FindSlack(const TaskGraph& graph, const Schedule& schedule,
                              const Answers& answers, SimTime end);

// Measured time, split by who was at work: Daydream's three-way split. The host is at work unless
// its threads are all inside waits; the rest counts as the host's.
struct Overlap {
  DurationNs both = 0;
  DurationNs host_only = 0;
  DurationNs device_only = 0;
};
// `times` follow each other.
Overlap MeasureOverlap(const TaskGraph& graph, const std::vector<TimeRange>& times);

}  // namespace xsp
