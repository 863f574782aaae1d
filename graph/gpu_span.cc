#include "graph/gpu_span.h"

#include <algorithm>

namespace xsp {
namespace {

void Extend(SimSpan& span, SimTime begin, SimTime end) {
  if (!begin.known()) return;
  span.begin = span.empty() ? begin : std::min(span.begin, begin);
  span.end = std::max(span.end, end);
}

enum class Clock { kHost, kTrace };

// Of the tasks from `first` on.
SimSpan SpanFrom(const TaskGraph& graph, const Schedule& schedule, std::uint32_t first,
                 TimeRange part, Clock clock) {
  SimSpan span;
  for (std::uint32_t task = first; task < graph.task_count(); ++task) {
    if (!schedule.begin[task].known() || !part.Contains(TraceBegin(graph, task))) continue;
    const DurationNs skew =
        clock == Clock::kTrace ? TraceBegin(graph, task) - graph.measured_begin[task] : 0;
    Extend(span, schedule.begin[task] + skew, schedule.finish[task] + skew);
  }
  return span;
}

SimSpan MeasuredFrom(const TaskGraph& graph, std::uint32_t first, TimeRange part) {
  SimSpan span;
  for (std::uint32_t task = first; task < graph.task_count(); ++task) {
    const TimeNs begin = TraceBegin(graph, task);
    if (!part.Contains(begin) || graph.IsNew(task)) continue;
    Extend(span, SimTime::At(begin), SimTime::At(begin + graph.measured(task)));
  }
  return span;
}

}  // namespace

SimSpan GpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  return SpanFrom(graph, schedule, graph.host_count(), part, Clock::kTrace);
}

SimSpan HostClockGpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  return SpanFrom(graph, schedule, graph.host_count(), part, Clock::kHost);
}

SimSpan MeasuredGpuSpan(const TaskGraph& graph, TimeRange part) {
  return MeasuredFrom(graph, graph.host_count(), part);
}

SimSpan WholeSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  return SpanFrom(graph, schedule, 0, part, Clock::kTrace);
}

SimSpan MeasuredWholeSpan(const TaskGraph& graph, TimeRange part) {
  return MeasuredFrom(graph, 0, part);
}

}  // namespace xsp
