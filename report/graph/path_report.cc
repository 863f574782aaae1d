#include "report/graph/path_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/quantile.h"
#include "graph/readings/path_analysis.h"
#include "hierarchy/names/device_number.h"
#include "report/forecasts/diagnosis_json.h"
#include "report/graph/trust_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/table.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

struct Group {
  std::vector<DurationNs> slack;
  std::uint32_t without = 0;  // Tasks that have none.
  DurationNs own = 0;
};

struct Row {
  std::string name;
  Group group;
  DurationNs median = 0;
};

std::vector<Row> GroupedByName(const TaskGraph& graph, const TaskPlaces& places,
                               const PathAnalysis& analysis) {
  std::map<std::string, Group> groups;
  for (TaskId task : graph.tasks()) {
    if (!analysis.unit.time.Contains(TraceBegin(graph, task))) continue;
    Group& group = groups[GroupName(graph, places, task)];
    group.slack.push_back(analysis.slack[task]);
    group.without += analysis.slack[task] <= 0;
    group.own += graph.own[task];
  }
  std::vector<Row> rows;
  for (auto& [name, group] : groups) {
    const DurationNs median = UpperMedian(group.slack);
    rows.push_back({name, std::move(group), median});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.median, -a.group.own) < std::pair(b.median, -b.group.own);
  });
  return rows;
}

Cell SlackCell(DurationNs slack) { return slack < kEndlessSlack ? Cell(slack) : Cell(); }

// The same of every task that lies in the unit. Refers to the analysis.
Table SlackTable(const TaskGraph& graph, const PathAnalysis& analysis) {
  std::vector<TaskId> tasks;
  for (TaskId task : graph.tasks()) {
    if (analysis.unit.time.Contains(TraceBegin(graph, task))) tasks.push_back(task);
  }
  Table table("Slack of every task",
              {{"task", "task", ColumnKind::kId}, {"slack", "slack_ns", ColumnKind::kDuration}});
  const std::size_t count = tasks.size();
  table.SetRows(count, [tasks = std::move(tasks), &analysis](std::size_t i) {
    return std::vector<Cell>{tasks[i].value, SlackCell(analysis.slack[tasks[i]])};
  });
  return table;
}

// How much longer kernels (by class), copies and calls (by name) could take without the unit
// ending later: what has the least first. People see `top` rows; 0: all.
Table SlackByNameTable(const TaskGraph& graph, const TaskPlaces& places,
                       const PathAnalysis& analysis, std::size_t top) {
  Table table("Slack: how much longer it could take without the end moving",
              {{"what", "name", ColumnKind::kName, kAlways},
               {"tasks", "tasks", ColumnKind::kInt},
               {"without slack", "without_slack", ColumnKind::kInt},
               {"own time", "own_ns", ColumnKind::kDuration, 3},
               {"least", "least_slack_ns", ColumnKind::kDuration},
               {"median", "median_slack_ns", ColumnKind::kDuration}});
  const std::vector<Row> rows = GroupedByName(graph, places, analysis);
  const UnitMeans means = UnitMeans::OfRun(analysis.unit);
  for (const Row& row : rows) {
    const Group& group = row.group;
    const DurationNs least = *std::min_element(group.slack.begin(), group.slack.end());
    table.AddRow({row.name, means.Count(static_cast<std::uint32_t>(group.slack.size())),
                  means.Count(group.without), analysis.unit.MeanOfRun(group.own), SlackCell(least),
                  SlackCell(row.median)});
  }
  table.ShowFirst(top, " more with more slack: --top 0");
  table.AddNote("Every task's slack: --format json. '-': nothing in this part waits for it.");
  return table;
}

// What people call the kinds: scripts get short names (docs/glossary.md).
std::string_view KindWords(PathKind kind) {
  constexpr std::array<std::string_view, kPathKindCount> kWords = {
      "kernels",       "collectives",     "copies",           "memsets",
      "whole graphs",  "between work",    "on its way",       "launching calls",
      "other calls",   "allocation",      "only once",        "data loading",
      "between calls", "not scheduled",   "return of a sync", "return of a copy",
      "full queue",    "waking a thread", "another thread",   "a timer",
      "system calls",  "before recording"};
  return kWords[static_cast<std::size_t>(kind)];
}

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
  Table table(title,
              BreakdownColumns({{"kind", "", ColumnKind::kText, kAlways, 0, Readers::kPeople},
                                {"", "kind", ColumnKind::kText, 0, 0, Readers::kScripts},
                                {"what", "name", ColumnKind::kName},
                                {"pieces", "pieces", ColumnKind::kInt, 3}}));
  AddBreakdown(table, parts, top, [&](const PathPart* part, DurationNs ns) {
    table.AddRow({part != nullptr ? Cell(KindWords(part->kind)) : Cell("[other]"),
                  part != nullptr ? Cell(NameOf(part->kind)) : Cell("[other]"),
                  part != nullptr && !part->name.empty() ? Cell(part->name) : Cell(""),
                  part != nullptr ? Cell(part->pieces) : Cell(), ns, ShareOf(ns, whole),
                  std::clamp(ShareOf(ns, whole), 0.0, 1.0)});
  });
  if (rest == nullptr) return table;
  for (const auto& [what, ns] : RestOf(*rest)) {
    table.AddRow({what, what, "", Cell(), ns, ShareOf(ns, whole), 0.0});
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
  return (part.name.empty() ? std::string(KindWords(part.kind)) : "every " + part.name) +
         " for nothing";
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
  report.Show(parts(top));
  report.AddForScripts("breakdown", parts(0));
  auto add_places = [&](const char* title, const char* what, const char* name,
                        const std::vector<PathPlace>& places) {
    auto table = [&](std::size_t rows) { return PlacesTable(title, what, places, analysis, rows); };
    if (!IsOneUnnamed(places)) report.Show(table(top));
    report.AddForScripts(name, table(0));
  };
  add_places("By layer", "layer", "by_layer", analysis.layers);
  add_places("By host range", "range", "by_range", analysis.ranges);
}

void AddOverlap(const PathAnalysis& analysis, Report& report) {
  report.fields["overlap"] = {{"both_ns", analysis.overlap.both},
                              {"host_only_ns", analysis.overlap.host_only},
                              {"device_only_ns", analysis.overlap.device_only}};
}

void AddNext(const PathAnalysis& analysis, Report& report) {
  report.fields["next"] = nullptr;
  if (!analysis.next) return;
  const PathPart& without = analysis.next->without;
  const DurationNs left = analysis.next->total;
  auto parts = [&](std::size_t rows) {
    return PartsTable("The next path, with " + WithoutWords(without) + ": " + FormatDuration(left),
                      analysis.next->parts, left, nullptr, rows);
  };
  report.Show(parts(kRowsOfNext));
  report.fields["next"] = {
      {"without", {{"kind", NameOf(without.kind)}, {"name", JsonText(without.name)}}},
      {"total_ns", left},
      {"breakdown", report.AddBesideForScripts("next", parts(0))}};
}

}  // namespace

Report MakePathReport(const TaskGraph& graph, const TaskPlaces& places,
                      const PathAnalysis& analysis, const Diagnosis& diagnosis,
                      const TraceSource& source, const Window& window, std::size_t top) {
  Report report("critical-path", source, GpuWords(*graph.trace), window);
  AddUnitFields(analysis.unit, report.fields);
  report.fields["measured_ns"] = analysis.unit.measured;
  report.fields["total_ns"] = analysis.total;
  report.fields["diagnosis"] = DiagnosisToJson(diagnosis);
  report.Show(diagnosis.text);
  report.fields["trust"] = TrustJson(analysis.trust);
  report.Show(OverlapWords(analysis));
  report.Show(TrustSentence(analysis.trust));
  AddBreakdowns(analysis, top, report);
  AddOverlap(analysis, report);
  report.fields["runs_of_step"] =
      analysis.unit.is_step ? Json(analysis.example + 1) : Json(nullptr);
  report.Show(RunsTable(analysis, top));
  report.AddForScripts("runs", RunsTable(analysis, 0));
  report.AddForScripts("path", SegmentsTable(graph, places, analysis.path));
  report.AddBeside("slack_by_name", SlackByNameTable(graph, places, analysis, top));
  const Rows slack = report.AddBesideForScripts("slack", SlackTable(graph, analysis));
  AddNext(analysis, report);
  report.fields["slack"] = slack;
  return report;
}

}  // namespace xsp
