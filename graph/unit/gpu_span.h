#pragma once

#include <limits>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Figures about a part of a trace are about the tasks that were measured to begin in it.
inline constexpr TimeRange kAllTime = {std::numeric_limits<TimeNs>::min(),
                                       std::numeric_limits<TimeNs>::max()};

// When a task began as measured, on the trace's clock.
inline TimeNs TraceBegin(const TaskGraph& graph, TaskId task) {
  return graph.measured_begin[task] + (graph.IsHost(task) ? 0 : graph.ClockAhead(task));
}

// Migrations of unified memory are work of a GPU that nobody launched, so they are no tasks: pages
// move when the host or a kernel touches them. Those before the first operation and behind the last
// one belong to the span all the same. In a simulation they keep their distance to these two.
struct SpanMargins {
  DurationNs lead = 0;  // From the first migration to the first operation,
  DurationNs tail = 0;  // and from the end of the last operation to that of the last migration.
};
SimSpan Widened(SimSpan span, const SpanMargins& by);

// From the begin of the first device operation or migration to the finish of the last; empty
// without one. On the trace's clock, on which devices may be ahead of each other, as the measured
// one is.
SimSpan GpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part = kAllTime);
// As measured, on the trace's clock.
SimSpan MeasuredGpuSpan(const TaskGraph& graph, TimeRange part = kAllTime);
// The same for each of several parts, which follow each other. Also tells the margins, if asked.
std::vector<SimSpan> MeasuredGpuSpans(const TaskGraph& graph, const std::vector<TimeRange>& parts,
                                      std::vector<SpanMargins>* margins);
// As simulated, on the host's clock as all other simulated times, and without the margins.
std::vector<SimSpan> HostClockGpuSpansOf(const TaskGraph& graph, const Schedule& schedule,
                                         const std::vector<TimeRange>& parts);

// The same of all tasks, host tasks included.
SimSpan WholeSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part = kAllTime);
SimSpan MeasuredWholeSpan(const TaskGraph& graph, TimeRange part = kAllTime);

}  // namespace xsp
