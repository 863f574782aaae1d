#include "graph/path_analysis.h"

#include <algorithm>

#include "graph/bake.h"

namespace xsp {
namespace {

// Where the unit lies in a simulation.
SimSpan SpanOf(const TaskGraph& graph, const Schedule& schedule, const Unit& unit) {
  if (!unit.is_step) return GpuSpanOf(graph, schedule, unit.part);
  const auto at = SimulatedMoments(graph, schedule, {unit.time.begin, unit.time.end});
  return {at[0], std::max(at[0], at[1])};
}

}  // namespace

PathAnalysis AnalyzePath(const TaskGraph& graph, const TaskPlaces& places, const Unit& unit) {
  PathAnalysis result;
  result.unit = unit;
  Answers answers;
  result.replay = Simulate(graph, {}, &answers);
  const SimSpan span = SpanOf(graph, result.replay, unit);
  result.path = FindCriticalPath(graph, result.replay, span);
  result.error = unit.time.Length() - span.Length();
  result.parts = PartsOf(graph, places, result.path);
  result.layers = LayersOf(places, result.path);
  result.ranges = RangesOf(places, result.path);
  result.runs = FoldPath(graph, places, result.path);
  result.overlap = MeasureOverlap(graph, unit.time);
  result.slack = FindSlack(graph, result.replay, answers, span.end);
  if (const PathPart* part = LargestFixable(result.parts)) {
    const TaskGraph changed = Bake(graph, WithoutPart(graph, places, *part));
    const Schedule without = Simulate(changed);
    NextPath next{*part, FindCriticalPath(changed, without, SpanOf(changed, without, unit)), {}};
    next.parts = PartsOf(graph, places, next.path);
    result.next = std::move(next);
  }
  return result;
}

}  // namespace xsp
