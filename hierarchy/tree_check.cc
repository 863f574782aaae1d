#include "hierarchy/tree_check.h"

#include <map>
#include <numeric>

namespace xsp {
namespace {

void CheckNode(const Tree& tree, const TreeNode& node, DurationNs children, bool has_graphs,
               std::vector<std::string>& faults) {
  auto fault = [&](const std::string& what) {
    faults.push_back(std::string(NameOf(node.level)) + " " + std::string(tree.Name(node)) + ": " +
                     what);
  };
  if (node.own_device_sum + children != node.device_sum) {
    fault("own " + std::to_string(node.own_device_sum) + " + children " + std::to_string(children) +
          " is not " + std::to_string(node.device_sum));
  }
  if (!has_graphs && node.device_busy > node.device_sum) fault("busy exceeds sum");
  if (node.level == Level::kDevice && node.device_busy > node.wall.value_or(0)) {
    fault("busy exceeds wall");
  }
  if (node.level == Level::kRank && node.device_busy > node.wall.value_or(0)) {
    fault("busier than all the time there is");
  }
  if (node.least_step_sum > node.most_step_sum) fault("least exceeds most");
}

}  // namespace

std::vector<std::string> FaultsOf(const Tree& tree, bool is_whole_trace) {
  std::vector<std::string> faults;
  const Trace& trace = tree.hierarchy().trace();
  const bool has_graphs = !trace.OfKind(EventKind::kGraphSpan).empty();
  std::vector<DurationNs> children(tree.nodes().size(), 0);
  for (const TreeNode& node : tree.nodes()) {
    if (node.parent != TreeNode::kNone) children[node.parent] += node.device_sum;
  }
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    CheckNode(tree, tree.nodes()[n], children[n], has_graphs, faults);
  }
  const DurationNs covered =
      std::accumulate(tree.coverage().begin(), tree.coverage().end(), DurationNs{0});
  if (covered != tree.root().device_sum) faults.push_back("coverage does not add up");
  if (!is_whole_trace) return faults;
  DurationNs of_tracks = 0;
  for (EventId work : trace.DeviceWork()) {
    if (!trace.OfKind(EventKind::kGraphSpan).Contains(work)) of_tracks += trace.duration(work);
  }
  if (of_tracks != tree.root().device_sum) faults.push_back("device time was lost");
  return faults;
}

}  // namespace xsp
