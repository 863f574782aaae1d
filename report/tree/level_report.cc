#include "report/tree/level_report.h"

#include <algorithm>
#include <cmath>

#include "report/tables/units.h"

namespace xsp {
namespace {

DurationNs Rounded(double ns) { return std::llround(ns); }
std::optional<DurationNs> Rounded(const std::optional<double>& ns) {
  return ns ? std::optional(Rounded(*ns)) : std::nullopt;
}

std::optional<double> KnownShareOf(const std::optional<double>& part, double whole) {
  return part && whole > 0 ? std::optional(*part / whole) : std::nullopt;
}

Json LevelNames(const LevelSet& levels) {
  Json names = Json::array();
  for (std::size_t i = 0; i < kLevelCount; ++i) {
    if (levels[i]) names.push_back(NameOf(static_cast<Level>(i)));
  }
  return names;
}

Json NodesToJson(const LeveledRuns& leveled) {
  Json nodes = Json::array();
  for (const LeveledNode& node : leveled.nodes) {
    Json overhead = Json::object();
    for (std::size_t i = 0; i < node.overhead_ns.size(); ++i) {
      const Depth& depth = leveled.depths[node.depth + 1 + i];
      overhead[std::string(NameOf(depth.level))] = JsonOrNull(Rounded(node.overhead_ns[i]));
    }
    nodes.push_back({{"path", JsonText(node.path)},
                     {"level", NameOf(node.level)},
                     {"count", node.count},
                     {"measured_at", NameOf(leveled.depths[node.depth].level)},
                     {"latency_ns", Rounded(node.latency_ns)},
                     {"overhead_ns", std::move(overhead)}});
  }
  return nodes;
}

Table LevelsTable(const LeveledRuns& leveled, std::span<const RunProfile> runs,
                  const std::vector<TraceSource>& sources) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  const std::string unit(NameOf(leveled.unit));
  const bool has_overhead = leveled.depths.size() > 1;
  const Readers overhead = has_overhead ? Readers::kAll : kScripts;
  Table table("Levels", {{"level", "level", ColumnKind::kText, kAlways},
                         {unit, "latency_ns", ColumnKind::kDuration, kAlways},
                         {"overhead", "overhead_ns", ColumnKind::kDuration, kAlways, 0, overhead},
                         {"added", "overhead_share", ColumnKind::kShare, 6, 0, overhead},
                         {"holds", "holds", ColumnKind::kText, 4, 0, Readers::kAllButJson},
                         {"", "holds", ColumnKind::kText, 0, 0, Readers::kJson},
                         {"runs", "run_count", ColumnKind::kInt, 3},
                         {"first run", "", ColumnKind::kName, 5, 0, kPeople},
                         {"", "run", ColumnKind::kName, 0, 0, kScripts},
                         {"", "runs", ColumnKind::kText, 0, 0, Readers::kJson}});
  const double undisturbed = leveled.depths.front().latency_ns;
  for (const Depth& depth : leveled.depths) {
    const std::uint32_t first = depth.runs.front();
    Json paths = Json::array();
    for (std::uint32_t r : depth.runs) paths.push_back(JsonText(sources[r].path));
    table.AddRow({NameOf(depth.level), Rounded(depth.latency_ns), Rounded(depth.overhead_ns),
                  KnownShareOf(depth.overhead_ns, undisturbed), NamesOf(depth.levels),
                  JsonCell(LevelNames(depth.levels)), depth.runs.size(), runs[first].run,
                  sources[first].path, JsonCell(std::move(paths))});
  }
  if (has_overhead) {
    const double total = leveled.depths.back().latency_ns - undisturbed;
    table.AddNote("All profilers together add " + FormatDuration(Rounded(total)) + ", " +
                  FormatPercent(KnownShareOf(total, undisturbed).value_or(0)) + " of the " + unit +
                  ".");
  }
  return table;
}

double TotalOverhead(const LeveledNode& node) {
  double total = 0;
  for (const auto& overhead : node.overhead_ns) total += overhead.value_or(0);
  return total;
}

std::vector<const LeveledNode*> ShownNodes(const LeveledRuns& leveled,
                                           const LevelViewOptions& view) {
  std::vector<const LeveledNode*> shown;
  for (const LeveledNode& node : leveled.nodes) {
    if (node.level <= view.deepest_level) shown.push_back(&node);
  }
  auto key = [&](const LeveledNode* node) {
    return view.sort == LevelViewOptions::Sort::kTime ? node->latency_ns : TotalOverhead(*node);
  };
  if (view.sort != LevelViewOptions::Sort::kStart) {
    std::stable_sort(shown.begin(), shown.end(), [&](auto* a, auto* b) { return key(a) > key(b); });
  }
  return shown;
}

Table NodesTable(const LeveledRuns& leveled, const LevelViewOptions& view) {
  std::vector<TableColumn> columns = {{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
                                      {"share", "share", ColumnKind::kShare, 5},
                                      {"", "bar", ColumnKind::kBar, 2}};
  for (std::size_t d = 1; d < leveled.depths.size(); ++d) {
    const std::string level(NameOf(leveled.depths[d].level));
    columns.push_back({"+ " + level, level + "_overhead_ns", ColumnKind::kDuration, 8});
  }
  columns.push_back({"count", "count", ColumnKind::kInt, 3});
  columns.push_back({"level", "level", ColumnKind::kText, 4});
  columns.push_back({"measured at", "measured_at", ColumnKind::kText, 3});
  columns.push_back({"where", "", ColumnKind::kName, kAlways, 0, Readers::kPeople});
  columns.push_back({"", "path", ColumnKind::kName, 0, 0, Readers::kScripts});
  Table table("Ranges", columns);
  for (const LeveledNode* shown : ShownNodes(leveled, view)) {
    const LeveledNode& node = *shown;
    const auto share = KnownShareOf(node.latency_ns, leveled.depths[node.depth].latency_ns);
    std::vector<Cell> cells = {Rounded(node.latency_ns), share, share};
    for (std::size_t d = 1; d < leveled.depths.size(); ++d) {
      cells.push_back(d > node.depth ? Cell(Rounded(node.overhead_ns[d - node.depth - 1]))
                                     : Cell());
    }
    cells.insert(cells.end(), {Cell(node.count), Cell(NameOf(node.level)),
                               Cell(NameOf(leveled.depths[node.depth].level)),
                               Cell(node.shown_path), Cell(node.path)});
    table.AddRow(std::move(cells));
  }
  table.ShowFirst(view.top);
  return table;
}

// What a reader must know to trust the numbers.
std::vector<std::string> Cautions(const LeveledRuns& leveled, std::span<const RunProfile> runs) {
  std::vector<std::string> words;
  const auto host_only =
      std::find_if(runs.begin(), runs.end(), [](const auto& run) { return !run.HasDeviceWork(); });
  if (leveled.by_host && host_only != runs.end()) {
    words.push_back(
        host_only->run +
        " holds no device work, so the latency of a range is the host's time in it, in every run: "
        "right where the program waits for the device at its end, too short where it runs ahead.");
  }
  if (leveled.depths.size() == 1) {
    words.push_back(
        "All runs hold the same levels: what profiling costs shows when a run that was profiled "
        "less deep stands beside them.");
  }
  if (leveled.irregular > 0) {
    words.push_back(FormatCount(leveled.irregular) +
                    " places come in fewer than half of the steps and are left out.");
  }
  return words;
}

}  // namespace

Report MakeLevelReport(const LeveledRuns& leveled, std::span<const RunProfile> runs,
                       const std::vector<TraceSource>& sources, Statistic statistic,
                       const LevelViewOptions& view) {
  Report report;
  report.command = "level";
  report.traces = sources;
  for (const RunProfile& run : runs) {
    if (!run.gpus.empty()) report.about = {run.gpus};
  }
  report.fields["unit"] = NameOf(leveled.unit);
  report.fields["statistic"] = NameOf(statistic);
  report.fields["latency_of_ranges"] = leveled.by_host ? "host" : "device";
  report.Add("levels", LevelsTable(leveled, runs, sources));
  report.fields["nodes"] = NodesToJson(leveled);
  report.fields["irregular"] = leveled.irregular;
  report.Show(NodesTable(leveled, view));
  LevelViewOptions all = view;
  all.deepest_level = Level::kDevice;
  report.AddBesideForScripts("nodes", NodesTable(leveled, all));
  for (std::string& words : Cautions(leveled, runs)) report.Show(std::move(words));
  return report;
}

}  // namespace xsp
