#include "graph/unit/gpu_span.h"

#include <algorithm>
#include <optional>

namespace xsp {
namespace {

void Extend(SimSpan& span, SimTime begin, SimTime end) {
  if (!begin.known()) return;
  span.begin = span.empty() ? begin : std::min(span.begin, begin);
  span.end = std::max(span.end, end);
}

enum class Clock { kHost, kTrace };

// The part in which a moment lies, or none. Parts follow each other.
std::optional<std::size_t> PartAt(const std::vector<TimeRange>& parts, TimeNs time) {
  const auto part = std::partition_point(parts.begin(), parts.end(),
                                         [&](const TimeRange& p) { return p.end <= time; });
  if (part == parts.end() || !part->Contains(time)) return std::nullopt;
  return static_cast<std::size_t>(part - parts.begin());
}

// Of these tasks, by part.
std::vector<SimSpan> SpansOfTasks(const TaskGraph& graph, const Schedule& schedule, TaskRange tasks,
                                  const std::vector<TimeRange>& parts, Clock clock) {
  std::vector<SimSpan> spans(parts.size());
  for (TaskId task : tasks) {
    if (!schedule.begin[task].known()) continue;
    const auto part = PartAt(parts, TraceBegin(graph, task));
    if (!part) continue;
    const DurationNs skew =
        clock == Clock::kTrace ? TraceBegin(graph, task) - graph.measured_begin[task] : 0;
    Extend(spans[*part], schedule.begin[task] + skew, schedule.finish[task] + skew);
  }
  return spans;
}

std::vector<SimSpan> MeasuredOfTasks(const TaskGraph& graph, TaskRange tasks,
                                     const std::vector<TimeRange>& parts) {
  std::vector<SimSpan> spans(parts.size());
  for (TaskId task : tasks) {
    const TimeNs begin = TraceBegin(graph, task);
    const auto part = PartAt(parts, begin);
    if (!part || graph.IsNew(task)) continue;
    Extend(spans[*part], SimTime::At(begin), SimTime::At(begin + graph.measured(task)));
  }
  return spans;
}

// From the first migration that begins in a part to the end of the last one. Other times than the
// measured ones say nothing of migrations.
std::vector<SimSpan> MigrationSpans(const TaskGraph& graph, const std::vector<TimeRange>& parts) {
  std::vector<SimSpan> spans(parts.size());
  if (!graph.is_measured) return spans;
  const Trace& trace = *graph.trace;
  for (EventId event : trace.OfKind(EventKind::kMigration)) {
    const auto part = PartAt(parts, trace.begin(event));
    if (!part) continue;
    Extend(spans[*part], SimTime::At(trace.begin(event)), SimTime::At(trace.end(event)));
  }
  return spans;
}

SpanMargins MarginsBetween(const SimSpan& migrations, const SimSpan& ops) {
  if (migrations.empty() || ops.empty()) return {};
  return {std::max<DurationNs>(0, ops.begin - migrations.begin),
          std::max<DurationNs>(0, migrations.end - ops.end)};
}

}  // namespace

std::vector<SimSpan> MeasuredGpuSpans(const TaskGraph& graph, const std::vector<TimeRange>& parts,
                                      std::vector<SpanMargins>* margins) {
  std::vector<SimSpan> spans = MeasuredOfTasks(graph, graph.ops(), parts);
  const std::vector<SimSpan> migrations = MigrationSpans(graph, parts);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const SpanMargins by = MarginsBetween(migrations[i], spans[i]);
    if (margins != nullptr) margins->push_back(by);
    spans[i] = spans[i].empty() ? migrations[i] : Widened(spans[i], by);
  }
  return spans;
}

SimSpan Widened(SimSpan span, const SpanMargins& by) {
  return span.empty() ? span : SimSpan{span.begin - by.lead, span.end + by.tail};
}

SimSpan GpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  const std::vector<TimeRange> parts = {part};
  const SimSpan ops = SpansOfTasks(graph, schedule, graph.ops(), parts, Clock::kTrace).front();
  if (ops.empty()) return MigrationSpans(graph, parts).front();
  std::vector<SpanMargins> margins;
  MeasuredGpuSpans(graph, parts, &margins);
  return Widened(ops, margins.front());
}

std::vector<SimSpan> HostClockGpuSpansOf(const TaskGraph& graph, const Schedule& schedule,
                                         const std::vector<TimeRange>& parts) {
  return SpansOfTasks(graph, schedule, graph.ops(), parts, Clock::kHost);
}

SimSpan MeasuredGpuSpan(const TaskGraph& graph, TimeRange part) {
  return MeasuredGpuSpans(graph, {part}, nullptr).front();
}

SimSpan WholeSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  return SpansOfTasks(graph, schedule, graph.tasks(), {part}, Clock::kTrace).front();
}

SimSpan MeasuredWholeSpan(const TaskGraph& graph, TimeRange part) {
  return MeasuredOfTasks(graph, graph.tasks(), {part}).front();
}

}  // namespace xsp
