#include "report/graph/path_report.h"

#include <algorithm>

#include "report/graph/path_json.h"
#include "report/graph/replay_words.h"
#include "report/graph/slack_table.h"
#include "report/summary/devices.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

constexpr std::size_t kRowsOfNext = 6;  // The next path is a preview.

std::vector<TableColumn> BreakdownColumns(std::vector<TableColumn> columns) {
  columns.push_back({"time", "ns", ColumnKind::kDuration, kAlways});
  columns.push_back({"share", "share", ColumnKind::kShare});
  columns.push_back({"", "bar", ColumnKind::kBar, 1});
  return columns;
}

// Adds the first rows and one for the rest.
template <class Item, class Row>
void AddBreakdown(Table& table, const std::vector<Item>& items, std::size_t top, Row row) {
  const std::size_t shown = top == 0 || items.size() <= top + 1 ? items.size() : top;
  for (std::size_t i = 0; i < shown; ++i) row(&items[i], items[i].ns);
  DurationNs rest = 0;
  for (std::size_t i = shown; i < items.size(); ++i) rest += items[i].ns;
  if (shown < items.size()) {
    row(nullptr, rest);
    table.AddNote("[other]: " + FormatCount(static_cast<std::int64_t>(items.size() - shown)) +
                  " more: --top 0");
  }
}

// What the path of the simulated run is short of the measured unit.
std::vector<std::pair<const char*, DurationNs>> RestOf(const PathAnalysis& analysis) {
  std::vector<std::pair<const char*, DurationNs>> rest = {{"[replay error]", analysis.error}};
  const DurationNs other = analysis.unit.OtherSteps();
  if (other != 0) rest.emplace_back("[other counted steps]", other);
  return rest;
}

Table PartsTable(const std::string& title, const std::vector<PathPart>& parts, DurationNs whole,
                 const PathAnalysis* rest, std::size_t top) {
  Table table(title, BreakdownColumns({{"kind", "kind", ColumnKind::kText, kAlways},
                                       {"what", "name", ColumnKind::kName},
                                       {"pieces", "pieces", ColumnKind::kInt, 3}}));
  AddBreakdown(table, parts, top, [&](const PathPart* part, DurationNs ns) {
    table.AddRow({part != nullptr ? Cell(NameOf(part->kind)) : Cell("[other]"),
                  part != nullptr && !part->name.empty() ? Cell(part->name) : Cell(""),
                  part != nullptr ? Cell(part->pieces) : Cell(), ns, ShareOf(ns, whole),
                  std::clamp(ShareOf(ns, whole), 0.0, 1.0)});
  });
  if (rest == nullptr) return table;
  for (const auto& [what, ns] : RestOf(*rest)) {
    table.AddRow({what, "", Cell(), ns, ShareOf(ns, whole), 0.0});
  }
  return table;
}

Table PlacesTable(const std::string& title, const char* what, const std::vector<PathPlace>& places,
                  const PathAnalysis& rest, std::size_t top) {
  const DurationNs whole = rest.unit.measured;
  Table table(title, BreakdownColumns({{what, "name", ColumnKind::kName, kAlways},
                                       {"on devices", "device_ns", ColumnKind::kDuration, 3},
                                       {"on the host", "host_ns", ColumnKind::kDuration, 3}}));
  AddBreakdown(table, places, top, [&](const PathPlace* place, DurationNs ns) {
    table.AddRow({place != nullptr ? Cell(place->name) : Cell("[other]"),
                  place != nullptr ? Cell(place->device) : Cell(),
                  place != nullptr ? Cell(place->host) : Cell(), ns, ShareOf(ns, whole),
                  std::clamp(ShareOf(ns, whole), 0.0, 1.0)});
  });
  for (const auto& [what, ns] : RestOf(rest)) {
    table.AddRow({what, Cell(), Cell(), ns, ShareOf(ns, whole), 0.0});
  }
  return table;
}

// The longest runs, in order of time.
Table RunsTable(const PathAnalysis& analysis, std::size_t top) {
  const std::vector<PathRun>& runs = analysis.runs;
  std::vector<const PathRun*> shown;
  for (const PathRun& run : runs) shown.push_back(&run);
  if (top > 0 && shown.size() > top) {
    std::stable_sort(shown.begin(), shown.end(), [](const PathRun* a, const PathRun* b) {
      return a->end - a->begin > b->end - b->begin;
    });
    shown.resize(top);
    std::sort(shown.begin(), shown.end());
  }
  std::string title = "The path in order of time";
  if (analysis.unit.step_count > 1) title += ", of step " + std::to_string(analysis.example + 1);
  Table table(title, {{"at", "begin_ns", ColumnKind::kDuration},
                      {"time", "ns", ColumnKind::kDuration, kAlways},
                      {"decided by", "side", ColumnKind::kText, kAlways},
                      {"mostly", "mostly", ColumnKind::kName},
                      {"in range", "range", ColumnKind::kName, 4},
                      {"pieces", "pieces", ColumnKind::kInt, 2},
                      {"longest", "longest_task", ColumnKind::kId, 3}});
  for (const PathRun* run : shown) {
    table.AddRow({run->begin.ns, run->end - run->begin, run->on_device ? "device" : "host",
                  run->mostly, run->range.empty() ? Cell() : Cell(run->range), run->pieces,
                  run->longest.valid() ? Cell(run->longest.value) : Cell()});
  }
  if (shown.size() < runs.size()) {
    table.AddNote("The longest of " + FormatCount(static_cast<std::int64_t>(runs.size())) +
                  " runs; all of them: --top 0");
  }
  table.AddNote("longest: the task of a run's longest piece; xsp graph --explain TASK says why.");
  return table;
}

// Every piece of the path, in order of time.
Table SegmentsTable(const TaskGraph& graph, const TaskPlaces& places, const CriticalPath& path) {
  Table table("Pieces of the path", {{"kind", "kind", ColumnKind::kText},
                                     {"what", "name", ColumnKind::kName},
                                     {"task", "task", ColumnKind::kId},
                                     {"at", "begin_ns", ColumnKind::kDuration},
                                     {"time", "ns", ColumnKind::kDuration}});
  table.SetRows(path.segments.size(), [&](std::size_t i) {
    const PathSegment& segment = path.segments[i];
    return std::vector<Cell>{NameOf(segment.kind), NameOfSegment(graph, places, segment),
                             segment.task.valid() ? Cell(segment.task.value) : Cell(),
                             segment.begin.ns, segment.end - segment.begin};
  });
  return table;
}

std::string OverlapWords(const PathAnalysis& a) {
  auto part = [&](DurationNs ns) {
    return FormatDuration(ns) + " (" + FormatPercent(ShareOf(ns, a.unit.measured)) + ")";
  };
  return std::string(a.unit.is_step ? "A step" : "The GPU span") + " took " +
         FormatDuration(a.unit.measured) + ": host and device at work together " +
         part(a.overlap.both) + ", host only " + part(a.overlap.host_only) + ", device only " +
         part(a.overlap.device_only) + ".";
}

std::string WithoutWords(const PathPart& part) {
  if (part.kind == PathKind::kHostGap) return "no untraced host time";
  if (part.kind == PathKind::kKernel) return "kernels of class " + part.name + " for nothing";
  if (part.kind == PathKind::kCollective) return "every collective for nothing";
  return "every " + (part.name.empty() ? std::string() : part.name + " ") +
         std::string(NameOf(part.kind)) + " for nothing";
}

bool IsOneUnnamed(const std::vector<PathPlace>& places) {
  return places.size() <= 1 && (places.empty() || places[0].name.starts_with('['));
}

// People see the first rows and one for the rest, scripts all.
void AddBreakdowns(const PathAnalysis& analysis, std::size_t top, Report& report) {
  const DurationNs measured = analysis.unit.measured;
  auto parts = [&](std::size_t rows) {
    return PartsTable("What the critical path is made of", analysis.parts, measured, &analysis,
                      rows);
  };
  report.sections.emplace_back(parts(top));
  report.AddForScripts("breakdown", parts(0));
  auto add_places = [&](const char* title, const char* what, const char* name,
                        const std::vector<PathPlace>& places) {
    auto table = [&](std::size_t rows) { return PlacesTable(title, what, places, analysis, rows); };
    if (!IsOneUnnamed(places)) report.sections.emplace_back(table(top));
    report.AddForScripts(name, table(0));
  };
  add_places("By layer", "layer", "by_layer", analysis.layers);
  add_places("By host range", "range", "by_range", analysis.ranges);
}

void AddNext(const PathAnalysis& analysis, Report& report) {
  if (!analysis.next) return;
  const DurationNs left = analysis.next->total;
  auto parts = [&](std::size_t rows) {
    return PartsTable(
        "The next path, with " + WithoutWords(analysis.next->without) + ": " + FormatDuration(left),
        analysis.next->parts, left, nullptr, rows);
  };
  report.sections.emplace_back(parts(kRowsOfNext));
  report.AddForScripts("next", parts(0));
}

}  // namespace

Report MakePathReport(const TaskGraph& graph, const TaskPlaces& places,
                      const PathAnalysis& analysis, const TraceSource& source, const Window& window,
                      std::size_t top) {
  Report report;
  report.command = "critical-path";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.window = window;
  report.sections.emplace_back(OverlapWords(analysis));
  if (std::string warning = ReplayWarning(analysis.unit.run_measured, analysis.total);
      !warning.empty()) {
    report.sections.emplace_back(std::move(warning));
  }
  AddBreakdowns(analysis, top, report);
  report.sections.emplace_back(RunsTable(analysis, top));
  report.AddForScripts("runs", RunsTable(analysis, 0));
  report.AddForScripts("path", SegmentsTable(graph, places, analysis.path));
  report.Add("slack_by_name", SlackByNameTable(graph, places, analysis, top));
  report.AddForScripts("slack", SlackTable(graph, analysis));
  AddNext(analysis, report);
  report.fields = PathJson(analysis);
  return report;
}

}  // namespace xsp
