#include "report/html/tree_columns.h"

#include <optional>

#include "model/names/kernel_names.h"
#include "report/tables/units.h"
#include "report/tree/tree_view.h"

namespace xsp {
namespace {

constexpr std::size_t kMostRows = 6000;

// As much of the tree as a page holds.
std::vector<TreeRow> RowsThatFit(const PathTotals& tree, std::vector<std::string>& cut) {
  std::vector<TreeRow> rows;
  for (double share : {0.0, 0.0002, 0.001, 0.005, 0.02, 0.1}) {
    TreeViewOptions view;
    view.min_share = share;
    rows = ViewTree(tree, view);
    if (rows.size() > kMostRows) continue;
    if (share > 0) {
      cut.push_back("tree: what has less than " + FormatPercent(share) +
                    " of the time is in [other]");
    }
    return rows;
  }
  cut.push_back("tree: the first " + std::to_string(kMostRows) + " of " +
                std::to_string(rows.size()) + " rows");
  rows.resize(kMostRows);
  return rows;
}

// The class of what a node stands for; none where it holds several.
std::optional<KernelClass> ClassOf(const PathTotals& tree, const PathNode& node) {
  const Hierarchy& hierarchy = tree.hierarchy();
  const std::string_view name = hierarchy.names().Text(node.name);
  if (node.level == Level::kDevice) {
    if (name.starts_with("[CUDA memset")) return KernelClass::kFill;
    if (name.starts_with("[CUDA graph")) return KernelClass::kGraph;
    if (name.starts_with("[CUDA mem") || name.starts_with("[CUDA migration")) {
      return KernelClass::kCopy;
    }
    return hierarchy.kinds().OfName(StringId(node.name.value)).kernel_class;
  }
  return node.source == Source::kClass ? KernelClassFromName(name) : std::nullopt;
}

// Where a piece of the path belongs: the work's place, or that of the call; untraced host time and
// waits of no call to the range around the call that follows. None: nowhere in the tree.
PathId PlaceOf(const PathTotals& tree, const TaskGraph& graph, const PathSegment& segment) {
  if (!segment.task.valid()) return {};
  const EventId event = graph.event[segment.task];
  if (!event.valid()) return {};
  if (!graph.IsHost(segment.task)) {
    return event.value < tree.places().size() ? tree.places()[event.value] : PathId();
  }
  if (tree.hierarchy().trace().KindOf(event) != EventKind::kApi) return {};
  const PathId call = tree.PlaceOfCall(event);
  const bool is_gap = segment.kind == PathKind::kHostGap || segment.kind == PathKind::kOffCpu;
  return is_gap && call.valid() ? tree[call].parent : call;
}

// Sums of a group of nodes with all below them.
std::vector<DurationNs> WithBelow(const PathTotals& tree, const PathTimes& path) {
  std::vector<DurationNs> sums = path.by_node;
  for (std::size_t n = sums.size(); n-- > 1;) {
    const PathId parent = tree.nodes()[n].parent;
    if (parent.valid()) sums[parent.value] += sums[n];
  }
  return sums;
}

}  // namespace

PathTimes PathTimesOf(const PathTotals& tree, const TaskGraph& graph,
                      const PathAnalysis& analysis) {
  PathTimes times{std::vector<DurationNs>(tree.nodes().size()),
                  static_cast<std::uint32_t>(analysis.unit.run_size())};
  for (const PathSegment& segment : analysis.path.segments) {
    const PathId place = PlaceOf(tree, graph, segment);
    times.by_node[place.valid() ? place.value : 0] += segment.end - segment.begin;
  }
  return times;
}

Json TreeColumns(const PathTotals& tree, const PathTimes* path, PackedTexts& texts,
                 std::vector<std::string>& cut) {
  using Kind = PackedColumn::Kind;
  const KernelLabels labels(tree.hierarchy().trace(), NameForm::kShort);
  const std::vector<TreeRow> rows = RowsThatFit(tree, cut);
  const std::vector<DurationNs> path_sums =
      path != nullptr ? WithBelow(tree, *path) : std::vector<DurationNs>();
  PackedColumn depth, level, name, label, source, kernel_class, wall, host, busy, sum, own, count,
      launches, path_ns(Kind::kPlain);
  for (const TreeRow& row : rows) {
    const PathNode* node = row.IsOther() ? nullptr : &tree[row.node];
    const std::string_view full = node == nullptr ? "[other]" : tree.Name(row.node);
    std::string_view shown = full;
    if (node != nullptr && node->level == Level::kDevice) {
      const std::string_view of_kernel = labels.OfName(StringId(node->name.value));
      if (!of_kernel.empty()) shown = of_kernel;
    }
    const auto of_class = node == nullptr ? std::nullopt : ClassOf(tree, *node);
    depth.Add(static_cast<std::int64_t>(row.depth));
    level.Add(node == nullptr ? -1 : static_cast<int>(node->level));
    name.Add(texts.Of(full));
    label.Add(texts.Of(shown));
    source.Add(node == nullptr ? 0 : static_cast<int>(node->source));
    kernel_class.Add(of_class ? static_cast<int>(*of_class) : -1);
    wall.Add(row.wall.value_or(-1));
    host.Add(row.host.value_or(-1));
    busy.Add(row.device_busy);
    sum.Add(row.device_sum);
    own.Add(row.own_device_sum);
    count.Add(static_cast<std::int64_t>(row.count * 1000));
    launches.Add(static_cast<std::int64_t>(row.launches * 1000));
    DurationNs on_path = 0;
    if (path != nullptr) {
      for (PathId of : row.folded) on_path += path_sums[of.value];
    }
    path_ns.Add(on_path);
  }
  Json json = {{"rows", rows.size()},
               {"depth", depth.ToJson()},
               {"level", level.ToJson()},
               {"name", name.ToJson()},
               {"label", label.ToJson()},
               {"source", source.ToJson()},
               {"class", kernel_class.ToJson()},
               {"wall", wall.ToJson()},
               {"host", host.ToJson()},
               {"busy", busy.ToJson()},
               {"sum", sum.ToJson()},
               {"own", own.ToJson()},
               {"count", count.ToJson()},
               {"launches", launches.ToJson()}};
  if (path != nullptr) {
    json["path"] = path_ns.ToJson();
    json["path_steps"] = path->steps;
  }
  return json;
}

}  // namespace xsp
