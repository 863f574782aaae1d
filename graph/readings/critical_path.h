#pragma once

#include <limits>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/time_kinds.h"

namespace xsp {

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

// For each of several spans, which follow each other in time, the path that leads to the last thing
// that finishes by its end.
std::vector<CriticalPath> FindCriticalPaths(const TaskGraph& graph, const Schedule& schedule,
                                            const std::vector<SimSpan>& spans);

// Slack that is not limited by anything.
inline constexpr DurationNs kEndlessSlack = std::numeric_limits<DurationNs>::max() / 2;

// How much later each task could begin, or longer work unless it waits before it works, without the
// last of what is over by `end` being over later; endless for what nothing waits for that is over
// by then. `answers` must come from the same simulation of the unchanged graph.
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
