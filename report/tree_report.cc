#include "report/tree_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/devices.h"
#include "report/text.h"
#include "report/units.h"

namespace xsp {
namespace {

// Whole numbers as such: 12, not 12.0; means over steps may be broken.
Json JsonCount(double count) {
  if (count == std::floor(count)) return static_cast<std::int64_t>(count);
  return count;
}

std::string_view NameOfRow(const PathTotals& tree, const TreeRow& row) {
  return row.IsOther() ? "[other]" : tree.Name(row.node);
}

// The smallest and the largest device sum of one step.
std::pair<DurationNs, DurationNs> DeviceSumRange(const PathTotals& tree, PathId node) {
  const std::vector<DurationNs> sums = tree.PerStep(node, &PathSample::device_sum);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return {*least, *most};
}

Json NodeToJson(const PathTotals& tree, const TreeRow& row) {
  const bool is_other = row.IsOther();
  const PathNode* node = is_other ? nullptr : &tree[row.node];
  Json json = Json::object();
  json["level"] = is_other ? Json(nullptr) : Json(NameOf(node->level));
  json["name"] = JsonText(NameOfRow(tree, row));
  json["source"] =
      is_other || node->source == Source::kNone ? Json(nullptr) : Json(NameOf(node->source));
  json["wall_ns"] = JsonOrNull(row.wall);
  json["host_ns"] = JsonOrNull(row.host);
  json["device_busy_ns"] = row.device_busy;
  json["device_sum_ns"] = row.device_sum;
  json["own_device_sum_ns"] = row.own_device_sum;
  json["launches"] = JsonCount(row.launches);
  json["count"] = JsonCount(row.count);
  if (!is_other && tree.divisor() > 1) {
    const auto [least, most] = DeviceSumRange(tree, row.node);
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
  json["cold"] = std::count_if(steps.steps.begin(), steps.steps.end(),
                               [](const Step& step) { return step.cold; });
  return json;
}

// A node's name as a person reads it: kernels in the wished form.
std::string ShownName(const PathTotals& tree, PathId id, const KernelLabels& labels) {
  const std::string_view label = tree[id].level == Level::kDevice
                                     ? labels.OfName(StringId(tree[id].name.value))
                                     : std::string_view();
  return std::string(label.empty() ? tree.Name(id) : label);
}

// Spread of a mean: half the distance between the smallest and the largest step, of the mean.
std::optional<double> SpreadOf(const PathTotals& tree, const TreeRow& row) {
  if (row.IsOther() || row.device_sum == 0) return std::nullopt;
  const auto [least, most] = DeviceSumRange(tree, row.node);
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

Table TreeTable(const PathTotals& tree, const std::vector<TreeRow>& rows,
                const KernelLabels& labels) {
  const bool is_mean = tree.divisor() > 1;
  // Graphs traced as a whole are busy without a sum: only then does busy time tell more.
  const bool has_spans = std::any_of(rows.begin(), rows.end(), [](const TreeRow& row) {
    return row.device_busy > row.device_sum;
  });
  std::vector<TableColumn> columns = {{"device", "device_sum_ns", ColumnKind::kDuration, kAlways},
                                      {"share", "share", ColumnKind::kShare, 9},
                                      {"", "bar", ColumnKind::kBar, 4},
                                      {"wall", "wall_ns", ColumnKind::kDuration, 3},
                                      {"host", "host_ns", ColumnKind::kDuration, 6},
                                      {"launches", "launches", ColumnKind::kFloat, 5, 0},
                                      {"count", "count", ColumnKind::kFloat, 3, 0},
                                      {"level", "level", ColumnKind::kText, 2},
                                      {"by", "source", ColumnKind::kText, 2}};
  if (is_mean) columns.insert(columns.begin() + 2, {"±", "spread", ColumnKind::kShare, 4});
  if (has_spans) {
    columns.insert(columns.begin(), {"busy", "device_busy_ns", ColumnKind::kDuration, kAlways});
  }
  columns.push_back({"what", "shown", ColumnKind::kName, kAlways, 0, Readers::kPeople});
  columns.push_back({"", "name", ColumnKind::kName, 0, 0, Readers::kScripts});
  columns.push_back({"", "depth", ColumnKind::kInt, 0, 0, Readers::kScripts});
  columns.push_back({"", "path", ColumnKind::kName, 0, 0, Readers::kScripts});
  Table table("", columns);
  Paths paths;
  for (const TreeRow& row : rows) {
    const bool is_other = row.IsOther();
    if (is_other && row.device_sum == 0 && row.device_busy == 0) continue;
    const PathNode* node = is_other ? nullptr : &tree[row.node];
    const double share = ShareOf(row.device_sum, rows.front().device_sum);
    const std::string name = is_other ? "[other] (" + std::to_string(row.hidden) + ")"
                                      : ShownName(tree, row.node, labels);
    std::vector<Cell> cells;
    if (has_spans) cells.emplace_back(row.device_busy);
    cells.emplace_back(row.device_sum);
    cells.emplace_back(share);
    if (is_mean) cells.emplace_back(SpreadOf(tree, row));
    cells.emplace_back(share);
    cells.emplace_back(row.wall);
    cells.emplace_back(row.host);
    cells.emplace_back(row.launches);
    cells.emplace_back(row.count);
    cells.push_back(is_other ? Cell() : Cell(NameOf(node->level)));
    cells.push_back(is_other || node->source == Source::kNone ? Cell()
                                                              : Cell(NameOf(node->source)));
    cells.push_back(std::string(2 * row.depth, ' ') + name);
    cells.push_back(is_other ? "[other]" : name);
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

}  // namespace

Report MakeTreeReport(const PathTotals& tree, const TreeViewOptions& view, NameForm names,
                      const TraceSource& source, const Window& window) {
  const Trace& trace = tree.hierarchy().trace();
  Report report;
  report.command = "tree";
  report.traces = {source};
  if (std::string gpus = GpuWords(trace); !gpus.empty()) report.about = {gpus};
  report.window = window;
  const std::vector<TreeRow> rows = ViewTree(tree, view);
  report.fields["steps"] = StepsToJson(tree);
  report.fields["steps_averaged"] = tree.divisor();
  report.fields["coverage"] = CoverageToJson(tree);
  report.fields["root"] = RowsToJson(tree, rows);
  report.sections.emplace_back(TreeTable(tree, rows, KernelLabels(trace, names)));
  for (const std::string& words : {CoverageWords(tree), GraphWords(trace)}) {
    if (!words.empty()) report.sections.emplace_back(words);
  }
  return report;
}

}  // namespace xsp
