#include "report/tree/tree_view.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// Deeper than any program nests on purpose; keeps JSON readers from running out of stack.
constexpr std::size_t kDeepest = 500;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ContainsIgnoringCase(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return Lower(a) == Lower(b); }) != text.end();
}

// Which nodes the filter keeps: those whose path has it, all below and all above them.
std::vector<std::uint8_t> Kept(const PathTotals& tree, const std::string& filter) {
  const std::vector<PathNode>& nodes = tree.nodes();
  std::vector<std::uint8_t> kept(nodes.size(), filter.empty() ? 1 : 0);
  if (filter.empty()) return kept;
  std::vector<std::string> path(nodes.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {  // Parents come first.
    const PathId parent = nodes[n].parent;
    if (!parent.valid()) continue;
    if (kept[parent.value] != 0) {
      kept[n] = 1;
      continue;
    }
    path[n] = path[parent.value].empty() ? "" : path[parent.value] + "/";
    path[n] += tree.Name(PathId(n));
    kept[n] = ContainsIgnoringCase(path[n], filter) ? 1 : 0;
  }
  for (std::size_t n = nodes.size(); n-- > 1;) {
    if (kept[n] != 0) kept[nodes[n].parent.value] = 1;
  }
  return kept;
}

class Viewer {
 public:
  Viewer(const PathTotals& tree, const TreeViewOptions& options)
      : tree_(tree), options_(options), kept_(Kept(tree, options.filter)) {
    if (options.fold) equal_.emplace(tree);
    const PathSample& all = tree.root().total;
    least_device_ = options.min_share * static_cast<double>(WeightOf({PathId(0u)}));
    least_host_ = options.min_share * static_cast<double>(all.wall);
    if (options.window_length) {
      too_long_ = std::max<DurationNs>(0, Mean(all.wall) - *options.window_length);
    }
  }

  std::vector<TreeRow> View() {
    std::vector<Pending> open = {{{PathId(0u)}, 0, false}};
    while (!open.empty()) {
      Pending next = std::move(open.back());
      open.pop_back();
      if (next.is_other) {
        AddOther(next);
        continue;
      }
      const std::vector<Pending> children = ChildrenOf(next);
      AddNode(next, children);
      open.insert(open.end(), children.rbegin(), children.rend());
    }
    return std::move(rows_);
  }

 private:
  struct Pending {
    PathGroup nodes;
    std::size_t depth;
    bool is_other;
  };

  PathSample TotalOf(const PathGroup& group) const {
    PathSample total;
    for (PathId n : group) total.Add(tree_[n].total);
    return total;
  }

  // How much a node matters: CUDA graphs traced as a whole are busy time without a sum.
  DurationNs WeightOf(const PathGroup& group) const {
    const PathSample total = TotalOf(group);
    return std::max(total.device_sum, total.device_busy);
  }

  std::pair<DurationNs, DurationNs> WeightAndHost(const PathGroup& group) const {
    return {WeightOf(group), TotalOf(group).host};
  }

  // A range in which the host spends a tenth of the step matters, be it without work for the GPU.
  bool IsSmall(const PathGroup& group) const {
    const auto [device, host] = WeightAndHost(group);
    return static_cast<double>(device) < least_device_ && static_cast<double>(host) < least_host_;
  }

  // Equal siblings have equal children, in the same order.
  std::vector<PathGroup> GroupsBelow(const PathGroup& parents) const {
    std::vector<PathGroup> groups;
    for (PathId parent : parents) {
      std::size_t i = 0;
      for (PathId c = tree_[parent].first_child; c.valid(); c = tree_[c].next_sibling) {
        if (tree_[c].level > options_.deepest_level) continue;
        if (i == groups.size()) groups.emplace_back();
        groups[i++].push_back(c);
      }
    }
    return equal_ ? equal_->Fold(std::move(groups)) : groups;
  }

  std::vector<Pending> ChildrenOf(const Pending& parent) const {
    const std::size_t depth = parent.depth + 1;
    if (depth > std::min(options_.deepest_depth.value_or(kDeepest), kDeepest)) return {};
    std::vector<PathGroup> shown, hidden;
    for (PathGroup& group : GroupsBelow(parent.nodes)) {
      const bool is_hidden = kept_[group.front().value] == 0 || IsSmall(group);
      (is_hidden ? hidden : shown).push_back(std::move(group));
    }
    // A line [other] for a single node would say less than the node itself.
    if (hidden.size() == 1 && kept_[hidden[0].front().value] != 0 && WeightOf(hidden[0]) > 0) {
      shown.push_back(std::move(hidden[0]));
      hidden.clear();
      std::sort(shown.begin(), shown.end());
    }
    // Ranks and steps have an order of their own.
    const bool has_order = !shown.empty() && tree_[shown[0].front()].level <= Level::kStep;
    if (!options_.sort_by_start && !has_order) {
      std::stable_sort(shown.begin(), shown.end(), [&](const PathGroup& a, const PathGroup& b) {
        return WeightAndHost(a) > WeightAndHost(b);
      });
    }
    std::vector<Pending> children;
    for (PathGroup& group : shown) children.push_back({std::move(group), depth, false});
    if (hidden.empty()) return children;
    Pending other = {{}, depth, true};
    for (const PathGroup& group : hidden) {
      other.nodes.insert(other.nodes.end(), group.begin(), group.end());
    }
    children.push_back(std::move(other));
    return children;
  }

  // Rows share the whole's nanoseconds without a rest: each takes what lies between its rounded
  // ends on one long line of all device time, in the order of the rows.
  DurationNs Take(DurationNs sum) {
    const DurationNs divisor = tree_.divisor();
    const DurationNs before = position_ / divisor;
    position_ += sum;
    return position_ / divisor - before;
  }

  DurationNs Mean(DurationNs sum) const { return sum / tree_.divisor(); }

  // Ranges reach out of the part that was asked for; the whole and what is outside of steps are the
  // rest of it.
  DurationNs WallOf(PathId node, DurationNs sum) const {
    DurationNs wall = Mean(sum);
    if (!options_.window_length) return wall;
    const bool is_outside =
        tree_[node].level == Level::kStep && tree_[node].source == Source::kNone;
    if (is_outside) wall = std::max<DurationNs>(0, wall - too_long_);
    return std::min(wall, *options_.window_length);
  }

  TreeRow RowOf(const Pending& at, const PathSample& total) const {
    TreeRow row;
    row.folded = at.nodes;
    row.depth = at.depth;
    row.device_busy = Mean(total.device_busy);
    row.launches = static_cast<double>(total.launches) / tree_.divisor();
    row.count = static_cast<double>(total.count) / tree_.divisor();
    const bool has_host =
        std::any_of(at.nodes.begin(), at.nodes.end(), [&](PathId n) { return tree_[n].has_host; });
    if (has_host) row.host = Mean(total.host);
    return row;
  }

  void AddNode(const Pending& at, const std::vector<Pending>& children) {
    const PathId first = at.nodes.front();
    const PathSample total = TotalOf(at.nodes);
    DurationNs below = 0;
    for (const Pending& child : children) below += TotalOf(child.nodes).device_sum;
    TreeRow row = RowOf(at, total);
    row.node = first;
    if (tree_[first].has_wall) row.wall = WallOf(first, total.wall);
    const DurationNs from = position_;
    row.device_sum = Take(total.device_sum);
    position_ = from;
    row.own_device_sum = Take(total.device_sum - below);
    // Rounding may lift the mean of a union above that of the sum by less than a nanosecond.
    if (total.device_busy <= total.device_sum)
      row.device_busy = std::min(row.device_busy, row.device_sum);
    rows_.push_back(std::move(row));
  }

  void AddOther(const Pending& at) {
    const PathSample total = TotalOf(at.nodes);
    const bool has_spans = std::any_of(at.nodes.begin(), at.nodes.end(), [&](PathId n) {
      return tree_[n].total.device_busy > tree_[n].total.device_sum;
    });
    TreeRow row = RowOf(at, total);
    row.device_sum = Take(total.device_sum);
    row.own_device_sum = row.device_sum;
    if (!has_spans) row.device_busy = std::min(row.device_busy, row.device_sum);
    rows_.push_back(std::move(row));
  }

  const PathTotals& tree_;
  const TreeViewOptions& options_;
  std::vector<std::uint8_t> kept_;
  std::optional<EqualSiblings> equal_;
  double least_device_ = 0;
  double least_host_ = 0;
  DurationNs too_long_ = 0;  // How far the whole reaches out of the window.
  DurationNs position_ = 0;
  std::vector<TreeRow> rows_;
};

}  // namespace

std::vector<TreeRow> ViewTree(const PathTotals& tree, const TreeViewOptions& options) {
  return Viewer(tree, options).View();
}

}  // namespace xsp
