#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/level.h"

namespace xsp {

// Which part of a trace a tree sums up, and how.
struct TreeOptions {
  // The steps to sum up, by index. None: the whole trace, with a child per step and
  // [outside steps].
  std::optional<std::vector<std::uint32_t>> steps;
  bool with_calls = true;    // Whether CUDA calls are nodes between host ranges and device work.
  bool keep_places = false;  // Whether the tree remembers the place of each piece of work.
};

// Totals of one node of a tree. Times are sums over all chosen steps; divide by Tree::divisor().
struct TreeNode {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t parent = kNone;
  std::uint32_t first_child = kNone;  // Children in the order of their first appearance.
  std::uint32_t next_sibling = kNone;
  NameId name;
  Level level = Level::kTrace;
  Source source = Source::kNone;

  // Ranges: the time in which one was open, from the host's begin to the end of the host's part or
  // of its device work, whichever is later. Steps: their time. Calls and device work: the sum of
  // their durations. None where a node has no extent of its own ([unattributed]).
  std::optional<DurationNs> wall;
  std::optional<DurationNs> host;  // Time of the host in it; none below CUDA calls.
  DurationNs device_busy = 0;      // Union of device work, per device; whole graphs count.
  DurationNs device_sum = 0;       // Kernels, copies, migrations, memsets.
  DurationNs own_device_sum = 0;   // The part of device_sum that no child has.
  DurationNs least_step_sum = 0;   // The smallest and largest device_sum of one step.
  DurationNs most_step_sum = 0;
  std::uint64_t launches = 0;  // CUDA calls that issued device work.
  // Occurrences; operations where nothing occurs as such (classes of work, [unattributed]).
  std::uint64_t count = 0;
};

// The hierarchy summed up: nodes of the same path are one. Plain values; holds no reference but to
// the hierarchy it was made from, which must outlive it.
class Tree {
 public:
  Tree(const Hierarchy& hierarchy, const TreeOptions& options);

  const Hierarchy& hierarchy() const { return *hierarchy_; }
  const std::vector<TreeNode>& nodes() const {
    return nodes_;
  }  // Row 0 is the root; parents first.
  const TreeNode& root() const { return nodes_[0]; }
  std::string_view Name(const TreeNode& node) const { return hierarchy_->names().Text(node.name); }

  // The number of steps summed up; 1 for a whole trace.
  std::uint32_t divisor() const { return divisor_; }

  // By device work: its node; TreeNode::kNone for work of other steps. Empty without keep_places.
  const std::vector<std::uint32_t>& places() const { return places_; }
  // The names from below the root down to a node, joined by '/'.
  std::string Path(std::uint32_t node) const;
  bool IsBelow(std::uint32_t node, std::uint32_t ancestor) const;  // Or the ancestor itself.

  // Device sum by the fact that gave the work its place. Adds up to the root's.
  const std::array<DurationNs, kSourceCount>& coverage() const { return coverage_; }

 private:
  friend class TreeBuilder;

  const Hierarchy* hierarchy_;
  std::vector<TreeNode> nodes_;
  std::vector<std::uint32_t> places_;
  std::uint32_t divisor_ = 1;
  std::array<DurationNs, kSourceCount> coverage_{};
};

}  // namespace xsp
