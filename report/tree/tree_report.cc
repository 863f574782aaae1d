#include "report/tree/tree_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hierarchy/names/device_number.h"
#include "hierarchy/steps/no_steps.h"
#include "model/spans.h"
#include "report/tables/step_set_json.h"
#include "report/tables/text.h"
#include "report/tables/units.h"
#include "report/tree/level_words.h"

namespace xsp {
namespace {

// Whole numbers as such: 12, not 12.0; means over steps may be broken.
Json JsonCount(double count) {
  if (count == std::floor(count)) return static_cast<std::int64_t>(count);
  return count;
}

std::string_view NameOfRow(const PathTotals& tree, const TreeRow& row) {
  if (row.IsNode()) return tree.Name(row.node);
  return row.IsOther() ? "[other]" : "[one-time costs]";
}

// The smallest and the largest device sum of one step.
std::pair<DurationNs, DurationNs> DeviceSumRange(const PathTotals& tree, const TreeRow& row) {
  std::vector<DurationNs> sums(tree.divisor());
  for (PathId node : row.folded) {
    const std::vector<DurationNs> of_node = tree.PerStep(node, &PathSample::device_sum);
    for (std::size_t i = 0; i < of_node.size(); ++i) sums[i] += of_node[i];
  }
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return {*least, *most};
}

Json NodeToJson(const PathTotals& tree, const TreeRow& row) {
  const PathNode* node = row.IsNode() ? &tree[row.node] : nullptr;
  Json json = Json::object();
  json["level"] = node == nullptr ? Json(nullptr) : Json(NameOf(node->level));
  json["name"] = JsonText(NameOfRow(tree, row));
  json["source"] =
      node == nullptr || node->source == Source::kNone ? Json(nullptr) : Json(NameOf(node->source));
  json["wall_ns"] = JsonOrNull(row.wall);
  json["host_ns"] = JsonOrNull(row.host);
  json["device_busy_ns"] = row.device_busy;
  json["device_sum_ns"] = row.device_sum;
  json["own_device_sum_ns"] = row.own_device_sum;
  json["launches"] = JsonCount(row.launches);
  json["count"] = JsonCount(row.count);
  if (node != nullptr && tree.divisor() > 1) {
    const auto [least, most] = DeviceSumRange(tree, row);
    json["device_sum_min_ns"] = least;
    json["device_sum_max_ns"] = most;
  }
  return json;
}

// From the last row up: when a row's turn comes, all its children are finished.
Json RowsToJson(const PathTotals& tree, const std::vector<TreeRow>& rows) {
  std::vector<std::vector<Json>> waiting;  // By depth: finished nodes whose parent is to come.
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    waiting.resize(std::max(waiting.size(), row->depth + 2));
    Json node = NodeToJson(tree, *row);
    std::vector<Json>& children = waiting[row->depth + 1];
    node["children"] = Json::array();
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      node["children"].push_back(std::move(*child));
    }
    children.clear();
    waiting[row->depth].push_back(std::move(node));
  }
  return std::move(waiting[0].front());
}

Json CoverageToJson(const PathTotals& tree) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    if (tree.coverage()[i] == 0) continue;
    json[std::string(NameOf(static_cast<Source>(i)))] =
        ShareOf(tree.coverage()[i], tree.root().total.device_sum);
  }
  return json;
}

Json StepsToJson(const PathTotals& tree) {
  const Steps& steps = tree.hierarchy().steps();
  Json json = Json::object();
  json["count"] = steps.size();
  json["source"] = NameOf(steps.source);
  json["cold"] = steps.With(StepRole::kCold).size();
  return json;
}

// A row's name as a person reads it: kernels in the wished form, equal siblings together.
std::string ShownName(const PathTotals& tree, const TreeRow& row, const KernelLabels& labels) {
  if (row.IsOther()) return "[other] (" + std::to_string(row.folded.size()) + ")";
  if (!row.IsNode()) return std::string(NameOfRow(tree, row));
  if (tree[row.node].level == Level::kDevice) {
    // The same kernel in all of them; what is above tells how many that are.
    const std::string_view label = labels.OfName(StringId(tree[row.node].name.value));
    return std::string(label.empty() ? tree.Name(row.node) : label);
  }
  std::vector<std::string> names;
  for (PathId node : row.folded) names.emplace_back(tree.Name(node));
  return FoldedName(std::move(names));
}

// Spread of a mean: half the distance between the smallest and the largest step, of the mean.
std::optional<double> SpreadOf(const PathTotals& tree, const TreeRow& row) {
  if (!row.IsNode() || row.device_sum == 0) return std::nullopt;
  const auto [least, most] = DeviceSumRange(tree, row);
  return static_cast<double>(most - least) / 2 / static_cast<double>(row.device_sum);
}

// The paths of rows that come parents first: names from below the root, joined by '/'.
class Paths {
 public:
  std::string Next(std::size_t depth, std::string_view name) {
    ends_.resize(depth);
    path_.resize(ends_.empty() ? 0 : ends_.back());
    if (depth > 0) path_ += (path_.empty() ? "" : "/") + std::string(name);
    ends_.push_back(path_.size());
    return path_;
  }

 private:
  std::string path_;
  std::vector<std::size_t> ends_;  // By depth: where the path of that depth ends.
};

// Which columns a tree has, and what their shares are of.
struct TreeLook {
  bool is_mean;
  bool has_device;  // Else it is about the host's time.
  // Graphs traced as a whole are busy without a sum: only then does busy time tell more.
  bool has_spans = false;
  DurationNs whole = 0;  // What the shares are of.

  TreeLook(const PathTotals& tree, const std::vector<TreeRow>& rows)
      : is_mean(tree.divisor() > 1),
        has_device(rows.front().device_sum > 0 || rows.front().device_busy > 0),
        whole(has_device ? rows.front().device_sum : rows.front().wall.value_or(0)) {
    for (const TreeRow& row : rows) {
      has_spans |= row.device_busy > row.device_sum;
      // Threads beside each other may take more than the wall time.
      if (!has_device) whole = std::max(whole, row.host.value_or(0));
    }
    // A graph in one piece counts by its busy time; so does then everything.
    if (has_device && has_spans) whole = rows.front().device_busy;
  }

  double Share(const TreeRow& row) const {
    if (has_device) return ShareOf(has_spans ? row.device_busy : row.device_sum, whole);
    const bool is_root = row.depth == 0;
    return ShareOf(is_root ? whole : row.host.value_or(0), whole);
  }

  bool IsEmpty(const TreeRow& row) const {
    return row.device_sum == 0 && row.device_busy == 0 && (has_device || row.host.value_or(0) == 0);
  }
};

std::vector<TableColumn> TreeColumns(const TreeLook& look) {
  const Readers device = look.has_device ? Readers::kAll : Readers::kScripts;
  std::vector<TableColumn> columns;
  if (look.has_spans) columns.push_back({"busy", "device_busy_ns", ColumnKind::kDuration, kAlways});
  columns.push_back({"device", "device_sum_ns", ColumnKind::kDuration, kAlways, 0, device});
  columns.push_back({"share", "share", ColumnKind::kShare, 9});
  if (look.is_mean) columns.push_back({"±", "spread", ColumnKind::kShare, 4, 0, device});
  columns.insert(columns.end(),
                 {{"", "bar", ColumnKind::kBar, 4},
                  {"wall", "", ColumnKind::kDuration, 3, 0, Readers::kPeople},
                  {"", "wall_ns", ColumnKind::kDuration, 0, 0, Readers::kScripts},
                  {"host", "host_ns", ColumnKind::kDuration, look.has_device ? 6 : kAlways},
                  {"launches", "launches", ColumnKind::kFloat, 5, 0},
                  {"count", "count", ColumnKind::kFloat, 3, 0},
                  {"level", "", ColumnKind::kText, 2, 0, Readers::kPeople},
                  {"", "level", ColumnKind::kText, 0, 0, Readers::kScripts},
                  {"by", "source", ColumnKind::kText, 2},
                  {"what", "shown", ColumnKind::kName, kAlways, 0, Readers::kPeople},
                  {"", "name", ColumnKind::kName, 0, 0, Readers::kScripts},
                  {"", "depth", ColumnKind::kInt, 0, 0, Readers::kScripts},
                  {"", "path", ColumnKind::kName, 0, 0, Readers::kScripts}});
  return columns;
}

Cell OrUnknown(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

Table TreeTable(const PathTotals& tree, const std::vector<TreeRow>& rows,
                const KernelLabels& labels) {
  const TreeLook look(tree, rows);
  const LevelWords words(tree.hierarchy());
  Table table("", TreeColumns(look));
  Paths paths;
  for (const TreeRow& row : rows) {
    if (row.IsOther() && look.IsEmpty(row)) continue;
    const PathNode* node = row.IsNode() ? &tree[row.node] : nullptr;
    const std::string name = ShownName(tree, row, labels);
    std::vector<Cell> cells;
    if (look.has_spans) cells.emplace_back(row.device_busy);
    cells.emplace_back(row.device_sum);
    cells.emplace_back(look.Share(row));
    if (look.is_mean) cells.emplace_back(SpreadOf(tree, row));
    cells.emplace_back(look.Share(row));
    // A range is open until its device work is done, waiting in the queue included, so that
    // children outlast parents: only what tiles the time is shown to people.
    const bool tiles = node == nullptr ? !row.IsOther() : node->level <= Level::kStep;
    cells.push_back(tiles ? Cell(row.wall) : Cell());
    cells.emplace_back(row.wall);
    cells.emplace_back(row.host);
    cells.emplace_back(row.launches);
    cells.emplace_back(row.count);
    cells.push_back(node == nullptr ? Cell() : OrUnknown(words.Of(tree, row.node)));
    cells.push_back(node == nullptr ? Cell() : Cell(NameOf(node->level)));
    cells.push_back(node == nullptr || node->source == Source::kNone ? Cell()
                                                                     : Cell(NameOf(node->source)));
    cells.push_back(std::string(2 * row.depth, ' ') + name);
    cells.push_back(row.IsOther() ? "[other]" : name);
    cells.push_back(row.depth);
    cells.push_back(paths.Next(row.depth, NameOfRow(tree, row)));
    table.AddRow(std::move(cells));
  }
  return table;
}

// "Device time by what tells where it belongs: range 62.8 %, temporal 37.1 %".
std::string CoverageWords(const PathTotals& tree) {
  std::string words;
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    const std::size_t source = (i + 1) % kSourceCount;  // What nobody tells comes last.
    if (tree.coverage()[source] == 0) continue;
    words += words.empty() ? "" : ", ";
    words += std::string(NameOf(static_cast<Source>(source))) + " " +
             FormatPercent(ShareOf(tree.coverage()[source], tree.root().total.device_sum));
  }
  return words.empty() ? "" : "Device time by what tells where it belongs: " + words;
}

std::string GraphWords(const Trace& trace) {
  const std::uint32_t graphs = trace.OfKind(EventKind::kGraphSpan).size();
  if (graphs == 0) return "";
  return FormatCount(graphs) +
         " CUDA graph launches were traced as one piece each: busy, but without kernels. Record "
         "with --cuda-graph-trace=node to see inside.";
}

// Of a step, or of the GPU's time: what passed in one-time costs while no device worked.
DurationNs OneTimeOf(const PathTotals& tree, const CountedSteps& steps) {
  if (tree.divisor() > 1) return steps.one_time;
  const std::optional<TimeRange> span = GpuSpan(tree.hierarchy().trace());
  return span ? tree.hierarchy().steps().one_time.In(*span) : 0;
}

// A row of its own where that is more than a hundredth of it: the rest tells of work, this of what
// no work was done in.
void AddOneTimeRow(DurationNs one_time, std::vector<TreeRow>& rows) {
  if (100 * one_time > rows.front().wall.value_or(0)) rows.push_back(TreeRow::OneTime(one_time));
}

}  // namespace

Report MakeTreeReport(const PathTotals& tree, const TreeViewOptions& view, NameForm names,
                      const TraceSource& source, const Window& window, const CountedSteps& steps) {
  const Trace& trace = tree.hierarchy().trace();
  Report report("tree", source, GpuWords(trace), window);
  std::vector<TreeRow> rows = ViewTree(tree, view);
  report.fields["steps"] = StepsToJson(tree);
  report.fields["step_set"] = StepSetToJson(steps);
  report.fields["steps_averaged"] = tree.divisor();
  const DurationNs one_time = OneTimeOf(tree, steps);
  report.fields["one_time_ns"] = one_time;
  if (view.filter.empty()) AddOneTimeRow(one_time, rows);
  report.fields["coverage"] = CoverageToJson(tree);
  report.fields["root"] = RowsToJson(tree, rows);
  report.AddBeside("nodes", TreeTable(tree, rows, KernelLabels(trace, names)));
  // The same answer as that of `info`.
  const bool has_steps = tree.hierarchy().steps().size() > 0;
  const std::string no_steps = has_steps ? "" : "No steps found: " + WhyNoSteps(trace) + ".";
  for (const std::string& words : {CoverageWords(tree), GraphWords(trace), no_steps}) {
    report.Show(words);
  }
  return report;
}

}  // namespace xsp
