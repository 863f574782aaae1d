#pragma once

#include <limits>

#include "graph/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Figures about a part of a trace are about the tasks that were measured to begin in it.
inline constexpr TimeRange kAllTime = {std::numeric_limits<TimeNs>::min(),
                                       std::numeric_limits<TimeNs>::max()};

// When a task began as measured, on the trace's clock.
inline TimeNs TraceBegin(const TaskGraph& graph, std::uint32_t task) {
  return graph.measured_begin[task] + (graph.IsHost(task) ? 0 : graph.ClockAhead(task));
}

// From the begin of the first device operation to the finish of the last; empty without one. On the
// trace's clock, on which devices may be ahead of each other, as the measured one is.
SimSpan GpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part = kAllTime);
// The same on the host's clock, as all other simulated times.
SimSpan HostClockGpuSpanOf(const TaskGraph& graph, const Schedule& schedule,
                           TimeRange part = kAllTime);
// As measured, on the trace's clock.
SimSpan MeasuredGpuSpan(const TaskGraph& graph, TimeRange part = kAllTime);

// The same of all tasks, host tasks included.
SimSpan WholeSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part = kAllTime);
SimSpan MeasuredWholeSpan(const TaskGraph& graph, TimeRange part = kAllTime);

}  // namespace xsp
