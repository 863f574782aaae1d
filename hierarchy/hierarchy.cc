#include "hierarchy/hierarchy.h"

#include <algorithm>

#include "base/interrupt.h"
#include "hierarchy/placing/hierarchy_builder.h"
#include "hierarchy/totals/path_text.h"

namespace xsp {

Hierarchy::Hierarchy(const Trace& trace, const KernelRules& rules)
    : Hierarchy(trace, rules, nullptr) {}

Hierarchy::Hierarchy(const Trace& trace, const KernelRules& rules, const Hierarchy* serialized)
    : trace_(&trace), ranges_(trace), names_(trace), kinds_(trace, rules) {
  HierarchyBuilder builder(*this);
  CheckInterrupt();
  builder.InternNames();
  builder.AddRanges();
  CheckInterrupt();
  builder.PlaceSteps();
  builder.AssignLevels();
  CheckInterrupt();
  builder.LinkBackward();
  builder.PlaceGraphWork();
  CheckInterrupt();
  builder.SettleSources();
  builder.LayersFromHooks();
  CheckInterrupt();
  if (serialized != nullptr) builder.SettleBySerialized(*serialized);
  builder.InferPhases();
  CheckInterrupt();
  builder.FindRepeatedLayers();
  builder.SettleLooseWork();
}

NodeId Hierarchy::NodeOfStep(ProcessId process, std::uint32_t step) const {
  const std::vector<NodeId>& nodes = step_nodes_[process.value];
  return step < nodes.size() ? nodes[step] : NodeId();
}

std::string Hierarchy::Path(NodeId node) const {
  auto parent_of = [&](std::uint32_t n) {
    const NodeId parent = nodes_.parent[n];
    return parent == root() ? TreePaths::kNone : parent.value;
  };
  if (node == root()) return "";
  return PathOf(node.value, parent_of, [&](std::uint32_t n) { return Name(NodeId(n)); });
}

// By depth: a counting sort.
std::vector<NodeId> Hierarchy::TopDown() const {
  constexpr std::uint32_t kUnknown = 0xffffffff;
  std::vector<std::uint32_t> depth(nodes_.size(), kUnknown);
  std::vector<std::uint32_t> chain;
  std::uint32_t deepest = 0;
  depth[0] = 0;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    std::uint32_t at = n;
    for (; depth[at] == kUnknown; at = nodes_.parent[at].value) chain.push_back(at);
    std::uint32_t d = depth[at];
    for (; !chain.empty(); chain.pop_back()) depth[chain.back()] = ++d;
    deepest = std::max(deepest, d);
  }
  std::vector<std::uint32_t> next(deepest + 2, 0);
  for (std::uint32_t d : depth) ++next[d + 1];
  for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
  std::vector<NodeId> order(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) order[next[depth[n]]++] = NodeId(n);
  return order;
}

}  // namespace xsp
