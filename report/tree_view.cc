#include "report/tree_view.h"

#include <algorithm>

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

// How much a node matters: CUDA graphs traced as a whole are busy time without a sum.
DurationNs WeightOf(const PathNode& node) {
  return std::max(node.total.device_sum, node.total.device_busy);
}

class Viewer {
 public:
  Viewer(const PathTotals& tree, const TreeViewOptions& options)
      : tree_(tree), options_(options), kept_(Kept(tree, options.filter)) {
    limit_ = options.min_share * static_cast<double>(WeightOf(tree.root()));
  }

  std::vector<TreeRow> View() {
    std::vector<Pending> open = {{PathId(0u), 0, {}}};
    while (!open.empty()) {
      Pending next = std::move(open.back());
      open.pop_back();
      if (!next.node.valid()) {
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
    PathId node;
    std::size_t depth;
    std::vector<PathId> hidden;  // [other] only.
  };

  std::vector<Pending> ChildrenOf(const Pending& parent) const {
    const std::size_t depth = parent.depth + 1;
    if (depth > std::min(options_.deepest_depth.value_or(kDeepest), kDeepest)) return {};
    std::vector<PathId> shown, hidden;
    for (PathId c = tree_[parent.node].first_child; c.valid(); c = tree_[c].next_sibling) {
      if (tree_[c].level > options_.deepest_level) continue;
      const bool is_small = static_cast<double>(WeightOf(tree_[c])) < limit_;
      (is_small || kept_[c.value] == 0 ? hidden : shown).push_back(c);
    }
    // A line [other] for a single node would say less than the node itself.
    if (hidden.size() == 1 && kept_[hidden[0].value] != 0 && WeightOf(tree_[hidden[0]]) > 0) {
      shown.push_back(hidden[0]);
      hidden.clear();
      std::sort(shown.begin(), shown.end());
    }
    // Ranks and steps have an order of their own.
    const bool has_order = !shown.empty() && tree_[shown[0]].level <= Level::kStep;
    if (!options_.sort_by_start && !has_order) {
      std::stable_sort(shown.begin(), shown.end(),
                       [&](PathId a, PathId b) { return WeightOf(tree_[a]) > WeightOf(tree_[b]); });
    }
    std::vector<Pending> children;
    for (PathId c : shown) children.push_back({c, depth, {}});
    if (!hidden.empty()) children.push_back({PathId(), depth, std::move(hidden)});
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
  std::optional<DurationNs> Mean(const std::optional<DurationNs>& sum) const {
    return sum ? std::optional(Mean(*sum)) : std::nullopt;
  }

  void AddNode(const Pending& at, const std::vector<Pending>& children) {
    const PathNode& node = tree_[at.node];
    DurationNs below = 0;
    for (const Pending& child : children) below += SumOf(child);
    TreeRow row;
    row.node = at.node;
    row.depth = at.depth;
    row.wall = Mean(node.Wall());
    row.host = Mean(node.Host());
    row.device_busy = Mean(node.total.device_busy);
    row.launches = static_cast<double>(node.total.launches) / tree_.divisor();
    row.count = static_cast<double>(node.total.count) / tree_.divisor();
    const DurationNs from = position_;
    row.device_sum = Take(node.total.device_sum);
    position_ = from;
    row.own_device_sum = Take(node.total.device_sum - below);
    // Rounding may lift the mean of a union above that of the sum by less than a nanosecond.
    if (node.total.device_busy <= node.total.device_sum)
      row.device_busy = std::min(row.device_busy, row.device_sum);
    rows_.push_back(row);
  }

  DurationNs SumOf(const Pending& at) const {
    if (at.node.valid()) return tree_[at.node].total.device_sum;
    DurationNs sum = 0;
    for (PathId n : at.hidden) sum += tree_[n].total.device_sum;
    return sum;
  }

  void AddOther(const Pending& at) {
    TreeRow row;
    row.depth = at.depth;
    row.hidden = static_cast<std::uint32_t>(at.hidden.size());
    DurationNs busy = 0;
    bool has_spans = false;
    std::optional<DurationNs> host;
    for (PathId n : at.hidden) {
      const PathSample& total = tree_[n].total;
      busy += total.device_busy;
      has_spans |= total.device_busy > total.device_sum;
      if (tree_[n].has_host) host = host.value_or(0) + total.host;
      row.launches += static_cast<double>(total.launches) / tree_.divisor();
      row.count += static_cast<double>(total.count) / tree_.divisor();
    }
    row.host = Mean(host);
    row.device_sum = Take(SumOf(at));
    row.own_device_sum = row.device_sum;
    row.device_busy = has_spans ? Mean(busy) : std::min(Mean(busy), row.device_sum);
    rows_.push_back(row);
  }

  const PathTotals& tree_;
  const TreeViewOptions& options_;
  std::vector<std::uint8_t> kept_;
  double limit_ = 0;
  DurationNs position_ = 0;
  std::vector<TreeRow> rows_;
};

}  // namespace

std::vector<TreeRow> ViewTree(const PathTotals& tree, const TreeViewOptions& options) {
  return Viewer(tree, options).View();
}

}  // namespace xsp
