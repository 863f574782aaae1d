#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/totals/path_totals.h"
#include "report/tree/tree_fold.h"

namespace xsp {

// How much of a tree is shown, and in which order.
struct TreeViewOptions {
  Level deepest_level = Level::kDevice;  // What lies deeper counts as its parent's own time.
  std::optional<std::size_t> deepest_depth = {};  // The same by depth; the root is at 0.
  // Only nodes whose path contains this, with what is above and below them.
  std::string filter = {};
  // Of the root's device time, or, for the host's part, of its wall time: what is smaller in both
  // goes to [other].
  double min_share = 0;
  bool sort_by_start = false;  // Else by device time, largest first; then by host time.
  bool fold = false;           // Whether equal siblings share a line. Not together with a filter.
  // How long the part of the trace is that was asked for: nothing lasts longer.
  std::optional<DurationNs> window_length = {};
};

// One line of a tree: a node, [other], or [one-time costs]. Times are those of one step where the
// tree is a mean, in whole nanoseconds, and add up exactly: own + children = sum.
struct TreeRow {
  PathId node;       // None: no node. The first one where equal siblings share the line.
  PathGroup folded;  // All that share the line, or are in [other].
  std::size_t depth = 0;
  std::optional<DurationNs> wall;
  std::optional<DurationNs> host;
  DurationNs device_busy = 0;
  DurationNs device_sum = 0;
  DurationNs own_device_sum = 0;
  double launches = 0;  // Per step.
  double count = 0;

  bool IsNode() const { return node.valid(); }
  bool IsOther() const { return !IsNode() && !folded.empty(); }

  // What passed in one-time costs while no device worked: time, and no device work.
  static TreeRow OneTime(DurationNs ns) {
    TreeRow row;
    row.depth = 1;
    row.wall = ns;
    return row;
  }
};

// The lines of a tree from top to bottom, parents before their children.
std::vector<TreeRow> ViewTree(const PathTotals& tree, const TreeViewOptions& options);

}  // namespace xsp
