#include "hierarchy/placing/serialized.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/placing/hierarchy_builder.h"
#include "hierarchy/steps/step_candidates.h"

// Where threads work at the same time, a range that is open on one says little about what another
// launches. In a run of the same program with CUDA_LAUNCH_BLOCKING=1 only one thing happens at a
// time, so containment in time is containment. Work is matched between the runs by its kernel, its
// launch shape and its turn; ranges by their path and their turn in the step.
namespace xsp {
namespace {

// The same kernel with the same shape, in any run.
std::size_t KeyOfWork(const Trace& trace, std::uint32_t process, EventId e) {
  std::size_t key = process;
  const EventKind kind = trace.KindOf(e);
  key = HashWith(key, static_cast<std::size_t>(kind));
  key = HashWith(key, std::hash<std::string_view>{}(trace.name(e)));
  if (kind == EventKind::kKernel) {
    const Kernels& kernels = trace.kernels();
    const std::uint32_t row = trace.Row(e, kind);
    for (const auto* size : {&kernels.grid_x, &kernels.grid_y, &kernels.grid_z, &kernels.block_x,
                             &kernels.block_y, &kernels.block_z}) {
      key = HashWith(key, (*size)[row]);
    }
  } else if (kind == EventKind::kMemcpy) {
    const std::uint32_t row = trace.Row(e, kind);
    key = HashWith(key, static_cast<std::size_t>(trace.copies().copy_kind[row]));
    key = HashWith(key, trace.copies().bytes[row]);
  }
  return key;
}

// Work by key, in the order of launches. Processes that did no work have no number.
std::unordered_map<std::size_t, std::vector<EventId>> WorkByKey(const Trace& trace) {
  std::unordered_map<std::size_t, std::vector<EventId>> by_key;
  std::uint32_t number = 0;
  for (const LaunchedWork& launched : LaunchOrder(trace)) {
    if (launched.work.empty()) continue;
    for (EventId e : launched.work) by_key[KeyOfWork(trace, number, e)].push_back(e);
    ++number;
  }
  return by_key;
}

// Nodes by (step, path, turn): the same for the same range of two runs.
class NodesByPath {
 public:
  explicit NodesByPath(const Hierarchy& hierarchy) {
    const Nodes& nodes = hierarchy.nodes();
    std::vector<std::size_t> path(nodes.size(), 0);
    std::unordered_map<std::size_t, std::size_t> turns;
    key_.resize(nodes.size(), 0);
    // Of equal depth in the order of their numbers, which for ranges is that of time.
    for (NodeId node : hierarchy.TopDown()) {
      const std::uint32_t n = node.value;
      const NodeId parent = nodes.parent[n];
      if (!parent.valid()) continue;
      path[n] = path[parent.value];
      if (nodes.level[n] == Level::kStep) path[n] = HashWith(path[n], hierarchy.StepOfNode(node));
      if (nodes.level[n] > Level::kStep) {
        path[n] = HashWith(path[n], std::hash<std::string_view>{}(hierarchy.Name(node)));
      }
      key_[n] = path[n];
      key_[n] = HashWith(key_[n], turns[path[n]]++);
      if (nodes.level[n] > Level::kStep) by_key_.try_emplace(key_[n], node);
    }
  }

  std::size_t KeyOf(NodeId node) const { return key_[node.value]; }
  NodeId Find(std::size_t key) const {
    auto it = by_key_.find(key);
    return it == by_key_.end() ? NodeId() : it->second;
  }

 private:
  std::vector<std::size_t> key_;
  std::unordered_map<std::size_t, NodeId> by_key_;
};

}  // namespace

void HierarchyBuilder::SettleBySerialized(const Hierarchy& serialized) {
  const auto there = WorkByKey(serialized.trace());
  const NodesByPath paths_there(serialized);
  const NodesByPath paths_here(h_);
  for (const auto& [key, works] : WorkByKey(trace_)) {
    auto match = there.find(key);
    // Another number of launches means that turns do not correspond.
    const bool comparable = match != there.end() && match->second.size() == works.size();
    for (std::size_t i = 0; i < works.size(); ++i) {
      Source& source = h_.source_of_work_[works[i].value];
      if (source != Source::kTemporal && source != Source::kNone) continue;
      ++h_.settled_.ambiguous;
      if (!comparable) continue;
      const NodeId other = serialized.NodeOfWork(match->second[i]);
      if (serialized.nodes().level[other.value] <= Level::kStep) continue;
      const NodeId here = paths_here.Find(paths_there.KeyOf(other));
      if (!here.valid()) continue;
      h_.node_of_work_[works[i].value] = here;
      h_.step_of_work_[works[i].value] = h_.StepAbove(here);
      source = Source::kRange;
      ++h_.settled_.settled;
    }
  }
}

std::uint32_t Hierarchy::StepAbove(NodeId node) const {
  while (nodes_.level[node.value] > Level::kStep) node = nodes_.parent[node.value];
  return StepOfNode(node);
}

}  // namespace xsp
