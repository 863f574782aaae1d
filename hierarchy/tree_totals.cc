#include <algorithm>

#include "hierarchy/tree_builder.h"
#include "model/spans.h"

// What is known of a tree's nodes only when all work, ranges and calls are in it.
namespace xsp {

// What no range stands behind, classes of work and [unattributed], counts the operations in it; the
// calls where there are none.
void TreeBuilder::CountBelow() {
  std::vector<std::uint64_t> operations(nodes_.size(), 0), calls(nodes_.size(), 0);
  for (std::size_t n = nodes_.size(); n-- > 1;) {
    TreeNode& node = nodes_[n];
    if (node.level == Level::kDevice) operations[n] = node.count;
    if (node.level == Level::kApi) calls[n] = node.count;
    if (node.level > Level::kStep && node.count == 0) {
      node.count = operations[n] > 0 ? operations[n] : calls[n];
    }
    operations[node.parent] += operations[n];
    calls[node.parent] += calls[n];
  }
}

void TreeBuilder::Finish() {
  DurationNs wall = 0;
  for (std::uint32_t k = 0; k < h_.steps().size(); ++k) {
    if (IsChosen(k)) wall += h_.steps().steps[k].time.Length();
  }
  CountBelow();
  host_of_children_.resize(nodes_.size());
  const std::optional<TimeRange> span = ProgramSpan(trace_);
  const DurationNs outside = span ? std::max<DurationNs>(0, span->Length() - wall) : 0;
  if (!options_.steps && span) wall = span->Length();
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    TreeNode& node = nodes_[n];
    if (steps_seen_[n] < tree_.divisor_) node.least_step_sum = 0;
    if (node.level <= Level::kRank) {
      node.wall = wall;
      node.count = tree_.divisor_;  // Once per step.
    }
    if (node.level == Level::kStep && node.count == 0) {
      node.wall = outside;
      node.count = 1;
    }
    if (node.level == Level::kRank) nodes_[0].device_busy += node.device_busy;
    const bool adds_up = node.level > Level::kStep && node.level < Level::kApi;
    if (adds_up && !node.host) node.host = host_of_children_[n];
    if (node.parent != TreeNode::kNone && node.host && node.level < Level::kApi) {
      auto& above = host_of_children_[node.parent];
      above = above.value_or(0) + *node.host;
    }
  }
}

}  // namespace xsp
