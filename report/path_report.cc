#include "report/path_report.h"

#include <algorithm>
#include <map>

#include "graph/explain.h"
#include "hierarchy/kernel_class.h"
#include "hierarchy/kernel_names.h"
#include "hierarchy/kernel_rules.h"
#include "report/devices.h"
#include "report/units.h"

namespace xsp {
namespace {

// A part of the breakdown: kind and name, as in ("kernel", "gemm").
using Part = std::pair<PathKind, std::string>;

class PathNames {
 public:
  PathNames(const TaskGraph& graph, const KernelRules& rules)
      : graph_(graph), kinds_(*graph.trace, rules) {}

  // Kernels by class, calls by name; gaps and tails by the call they end at.
  std::string Of(const PathSegment& segment) const {
    if (!segment.task.valid()) return "";
    const EventId event = graph_.event[segment.task.value];
    if (!event.valid()) return "";
    if (!graph_.IsHost(segment.task.value)) {
      return std::string(NameOf(kinds_.Of(*graph_.trace, event).kernel_class));
    }
    return segment.kind == PathKind::kHostGap ? std::string()
                                              : std::string(ApiBaseName(graph_.trace->name(event)));
  }

 private:
  const TaskGraph& graph_;
  KernelKinds kinds_;
};

std::vector<std::pair<Part, DurationNs>> Breakdown(const CriticalPath& path,
                                                   const PathNames& names) {
  std::map<Part, DurationNs> sums;
  for (const PathSegment& segment : path.segments) {
    sums[{segment.kind, names.Of(segment)}] += segment.end - segment.begin;
  }
  std::vector<std::pair<Part, DurationNs>> parts(sums.begin(), sums.end());
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return parts;
}

// Consecutive segments of the same part, with at most short other pieces between them.
struct Run {
  Part part;
  SimTime begin;
  SimTime end;
  std::uint32_t segments = 0;
};

std::vector<Run> FoldRuns(const CriticalPath& path, const PathNames& names) {
  std::vector<Run> runs;
  auto is_host = [](PathKind kind) {
    return kind == PathKind::kLaunch || kind == PathKind::kCall || kind == PathKind::kHostGap ||
           kind == PathKind::kAllocation || kind == PathKind::kThreadHandoff;
  };
  auto is_device = [](PathKind kind) {
    return kind == PathKind::kKernel || kind == PathKind::kMemset || kind == PathKind::kStreamGap ||
           kind == PathKind::kCopy;
  };
  for (const PathSegment& segment : path.segments) {
    Part part{segment.kind, names.Of(segment)};
    if (is_host(segment.kind)) part = {PathKind::kHostGap, "host"};
    if (is_device(segment.kind)) part = {PathKind::kKernel, "device"};
    if (runs.empty() || runs.back().part != part) {
      runs.push_back({std::move(part), segment.begin, segment.end, 0});
    }
    runs.back().end = segment.end;
    ++runs.back().segments;
  }
  return runs;
}

Table BreakdownTable(const std::vector<std::pair<Part, DurationNs>>& parts, DurationNs measured,
                     DurationNs error, const std::string& title) {
  Table table(title, {{"kind", "kind"},
                      {"what", "name", ColumnKind::kName},
                      {"time", "ns", ColumnKind::kDuration},
                      {"share", "share", ColumnKind::kShare},
                      {"", "bar", ColumnKind::kBar, 1}});
  auto share = [&](DurationNs ns) {
    return measured > 0 ? static_cast<double>(ns) / static_cast<double>(measured) : 0.0;
  };
  for (const auto& [part, ns] : parts) {
    table.AddRow({NameOf(part.first), part.second, ns, share(ns), std::max(0.0, share(ns))});
  }
  table.AddRow({"[replay error]", "", error, share(error), 0.0});
  return table;
}

Json BreakdownJson(const std::vector<std::pair<Part, DurationNs>>& parts, DurationNs error) {
  Json rows = Json::array();
  for (const auto& [part, ns] : parts) {
    rows.push_back({{"kind", NameOf(part.first)}, {"name", JsonText(part.second)}, {"ns", ns}});
  }
  rows.push_back({{"kind", "[replay error]"}, {"name", ""}, {"ns", error}});
  return rows;
}

// The path that is left when the tasks of the largest part cost nothing.
CriticalPath NextPath(const TaskGraph& graph, const CriticalPath& path, const PathNames& names,
                      const Part& largest, const Unit& unit) {
  Overlay overlay;
  overlay.own = graph.own;
  overlay.gap = graph.gap;
  for (const PathSegment& segment : path.segments) {
    if (!segment.task.valid() || Part(segment.kind, names.Of(segment)) != largest) continue;
    const std::uint32_t task = segment.task.value;
    (segment.kind == PathKind::kHostGap ? overlay.gap[task] : overlay.own[task]) = 0;
  }
  const Schedule schedule = Simulate(graph, overlay);
  SimSpan span = GpuSpanOf(graph, schedule);
  if (unit.is_step) {
    const auto at = SimulatedMoments(graph, schedule, {unit.time.begin, unit.time.end});
    span = {at[0], at[1]};
  }
  return FindCriticalPath(graph, schedule, span);
}

}  // namespace

Report MakePathReport(const TaskGraph& graph, const Steps& steps, const KernelRules& rules,
                      const TraceSource& source, std::size_t top) {
  Report report;
  report.command = "critical-path";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  const Unit unit = ChooseUnit(graph, steps);
  if (unit.is_step) {
    report.window.text = "step " + std::to_string(unit.step + 1) + " of " +
                         std::to_string(steps.size()) + " (the median steady one)";
    report.window.time = unit.time;
  }
  const PathNames names(graph, rules);
  Answers answers;
  const Schedule replay = Simulate(graph, {}, &answers);
  SimSpan span = GpuSpanOf(graph, replay);
  if (unit.is_step) {
    const auto at = SimulatedMoments(graph, replay, {unit.time.begin, unit.time.end});
    span = {at[0], at[1]};
  }
  const CriticalPath path = FindCriticalPath(graph, replay, span);
  const auto parts = Breakdown(path, names);
  const DurationNs measured = unit.time.Length();
  const DurationNs error = measured - span.Length();
  const Overlap overlap = MeasureOverlap(graph, unit.time);
  report.sections.emplace_back("Measured " + FormatDuration(measured) +
                               ": host and device together " + FormatDuration(overlap.both) +
                               ", host only " + FormatDuration(overlap.host_only) +
                               ", device only " + FormatDuration(overlap.device_only) + ".");
  report.sections.emplace_back(BreakdownTable(parts, measured, error, "The critical path"));

  std::vector<Run> runs = FoldRuns(path, names);
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return a.end - a.begin > b.end - b.begin; });
  Table longest("Its longest runs", {{"kind", "kind"},
                                     {"what", "name"},
                                     {"at", "begin_ns", ColumnKind::kDuration},
                                     {"time", "ns", ColumnKind::kDuration},
                                     {"pieces", "pieces", ColumnKind::kInt}});
  for (std::size_t i = 0; i < runs.size() && (top == 0 || i < top); ++i) {
    longest.AddRow({NameOf(runs[i].part.first), runs[i].part.second, runs[i].begin.ns,
                    runs[i].end - runs[i].begin, runs[i].segments});
  }
  report.sections.emplace_back(std::move(longest));

  Json next = Json(nullptr);
  if (!parts.empty()) {
    const CriticalPath rest = NextPath(graph, path, names, parts[0].first, unit);
    const auto rest_parts = Breakdown(rest, names);
    report.sections.emplace_back(BreakdownTable(
        rest_parts, rest.span.Length(), 0,
        "The path that is left if " + std::string(NameOf(parts[0].first.first)) + " " +
            parts[0].first.second + " on it cost nothing: " + FormatDuration(rest.span.Length())));
    next = {{"without",
             {{"kind", NameOf(parts[0].first.first)}, {"name", JsonText(parts[0].first.second)}}},
            {"total_ns", rest.span.Length()},
            {"breakdown", BreakdownJson(rest_parts, 0)}};
  }
  const std::vector<DurationNs> slack = FindSlack(graph, replay, answers);
  Json segments = Json::array();
  for (const PathSegment& segment : path.segments) {
    segments.push_back({{"kind", NameOf(segment.kind)},
                        {"name", JsonText(names.Of(segment))},
                        {"task", segment.task.valid() ? Json(segment.task.value) : Json(nullptr)},
                        {"begin_ns", segment.begin.ns},
                        {"ns", segment.end - segment.begin}});
  }
  report.fields["unit"] = unit.is_step ? "step" : "span";
  report.fields["measured_ns"] = measured;
  report.fields["total_ns"] = span.Length();
  report.fields["breakdown"] = BreakdownJson(parts, error);
  report.fields["overlap"] = {{"both_ns", overlap.both},
                              {"host_only_ns", overlap.host_only},
                              {"device_only_ns", overlap.device_only}};
  report.fields["tasks_without_slack"] =
      std::count_if(slack.begin(), slack.end(), [](DurationNs s) { return s <= 0; });
  report.fields["next"] = next;
  report.fields["path"] = segments;
  return report;
}

}  // namespace xsp
