#include "graph/readings/path_analysis.h"

#include <algorithm>

#include "base/quantile.h"
#include "graph/bake.h"

namespace xsp {
namespace {

// The paths of a unit's steps in one simulation, and what they are made of.
struct UnitPaths {
  DurationNs total = 0;
  std::vector<CriticalPath> steps;
  CriticalPath joined;
};

UnitPaths FindPaths(const TaskGraph& graph, const Schedule& schedule, const Steps& steps,
                    const Unit& unit) {
  UnitPaths paths;
  const std::vector<SimSpan> spans = SpansOf(graph, schedule, steps, unit);
  paths.total = LengthOf(unit, spans);
  paths.steps = FindCriticalPaths(graph, schedule, spans);
  paths.joined.span = {spans.front().begin, spans.back().end};
  for (const CriticalPath& path : paths.steps) {
    paths.joined.segments.insert(paths.joined.segments.end(), path.segments.begin(),
                                 path.segments.end());
  }
  return paths;
}

std::vector<PathPart> MeanParts(const TaskGraph& graph, const TaskPlaces& places,
                                const CriticalPath& path, const Unit& unit) {
  std::vector<PathPart> parts = PartsOf(graph, places, path);
  UnitMeans means = UnitMeans::OfRun(unit);
  for (PathPart& part : parts) {
    part.ns = means.Next(part.ns);
    part.pieces = means.Count(part.pieces);
  }
  return parts;
}

std::vector<PathPlace> MeanPlaces(std::vector<PathPlace> places, const Unit& unit) {
  UnitMeans means = UnitMeans::OfRun(unit);
  for (PathPlace& place : places) {
    place.device = means.Next(place.device);
    place.host = means.Next(place.host);
    place.ns = place.device + place.host;
  }
  return places;
}

// The measured times of what the path is about: of a span from its first operation to its last, not
// the whole of what was asked for.
std::vector<TimeRange> PathTimes(const TaskGraph& graph, const Steps& steps, const Unit& unit) {
  if (unit.is_step) return MeasuredTimes(steps, unit);
  std::vector<TimeRange> times;
  for (const SimSpan& span : MeasuredGpuSpans(graph, unit.parts, nullptr)) {
    if (span.empty()) continue;
    const TimeNs begin = times.empty() ? span.begin.ns : std::max(span.begin.ns, times.back().end);
    if (begin < span.end.ns) times.push_back({begin, span.end.ns});
  }
  return times;
}

Overlap MeanOverlap(const TaskGraph& graph, const Steps& steps, const Unit& unit) {
  const Overlap sum = MeasureOverlap(graph, PathTimes(graph, steps, unit));
  UnitMeans means = UnitMeans::OfCounted(unit);
  Overlap mean;
  mean.both = means.Next(sum.both);
  mean.host_only = means.Next(sum.host_only);
  mean.device_only = means.Next(sum.device_only);
  return mean;
}

// The path of median length; of equal ones the first.
std::uint32_t MedianPath(const std::vector<CriticalPath>& paths) {
  std::vector<std::pair<DurationNs, std::uint32_t>> lengths;
  for (std::uint32_t i = 0; i < paths.size(); ++i) lengths.emplace_back(paths[i].span.Length(), i);
  return NthOf(lengths, (lengths.size() - 1) / 2).second;
}

}  // namespace

PathAnalysis AnalyzePath(const TaskGraph& graph, const TaskPlaces& places, const Steps& steps,
                         const Unit& unit) {
  PathAnalysis result;
  result.unit = unit;
  Answers answers;
  result.replay = Simulate(graph, {}, &answers);
  UnitPaths paths = FindPaths(graph, result.replay, steps, unit);
  result.total = paths.total;
  result.error = unit.run_measured - paths.total;
  result.parts = MeanParts(graph, places, paths.joined, unit);
  result.layers = MeanPlaces(LayersOf(places, paths.joined), unit);
  result.ranges = MeanPlaces(RangesOf(places, paths.joined), unit);
  result.overlap = MeanOverlap(graph, steps, unit);
  result.trust = JudgeTrust(UnitBench(graph, steps, unit), steps);
  const std::uint32_t example = MedianPath(paths.steps);
  result.example = unit.first_step + example;
  result.runs = FoldPath(graph, places, paths.steps[example]);
  result.path = std::move(paths.joined);
  result.slack = FindSlack(graph, result.replay, answers, result.path.span.end);
  if (const PathPart* part = LargestFixable(result.parts)) {
    const TaskGraph changed = Bake(graph, WithoutPart(graph, places, *part));
    const UnitPaths left = FindPaths(changed, Simulate(changed), steps, unit);
    result.next = {*part, left.total, MeanParts(changed, places, left.joined, unit)};
  }
  return result;
}

}  // namespace xsp
