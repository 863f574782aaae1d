#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "hierarchy/placing/hierarchy_builder.h"

// A kernel that a CUDA graph replays was launched by no call of its own. Its node leads back to the
// moment of capture, and to the ranges that were open then.
namespace xsp {
namespace {

// A node's number is unique in its process only.
std::uint64_t KeyOf(ProcessId process, std::uint64_t node) { return HashWith(node, process.value); }

// Graph nodes by number, with the node that each was made from.
class CapturedNodes {
 public:
  explicit CapturedNodes(const Trace& trace) : trace_(trace) {
    const GraphObjects& objects = trace.graph_objects();
    for (EventId e : trace.OfKind(EventKind::kGraphObject)) {
      const std::uint32_t row = trace.Row(e, EventKind::kGraphObject);
      if (objects.object_kind[row] != GraphObjectKind::kNode) continue;
      if (objects.id[row] == kMissing<std::uint64_t>) continue;
      by_key_.try_emplace(KeyOf(trace.process_of(e), objects.id[row]), e);
    }
  }

  bool empty() const { return by_key_.empty(); }

  // The first node of the chain of copies: the one made at capture. Invalid if there is none.
  EventId Captured(ProcessId process, std::uint64_t node) const {
    EventId found;
    for (int copies = 0; copies < 64; ++copies) {  // A file may claim that two made each other.
      auto it = by_key_.find(KeyOf(process, node));
      if (it == by_key_.end()) break;
      found = it->second;
      node = trace_.graph_objects().original[trace_.Row(found, EventKind::kGraphObject)];
      if (node == kMissing<std::uint64_t>) break;
    }
    return found;
  }

 private:
  const Trace& trace_;
  std::unordered_map<std::uint64_t, EventId> by_key_;
};

std::uint64_t GraphNodeOf(const Trace& trace, EventId work) {
  switch (trace.KindOf(work)) {
    case EventKind::kKernel:
      return trace.kernels().graph_node[trace.Row(work, EventKind::kKernel)];
    case EventKind::kMemcpy:
      return trace.copies().graph_node[trace.Row(work, EventKind::kMemcpy)];
    case EventKind::kMemset:
      return trace.memsets().graph_node[trace.Row(work, EventKind::kMemset)];
    default:
      return kMissing<std::uint64_t>;
  }
}

}  // namespace

// Kernels that another recording, or the framework itself, names: below a layer and an operation of
// these names, in the range of the replay.
void HierarchyBuilder::PlaceNamedKernels() {
  std::map<std::pair<NodeId, NameId>, NodeId> made;
  const auto below = [&](NodeId parent, Level level, StringId text) {
    const NameId name = h_.names_.OfString(text);
    NodeId& node = made[{parent, name}];
    if (!node.valid()) {
      node = nodes_.Add(parent, level, Source::kCapture, name);
      nodes_.phase[node.value] = nodes_.phase[parent.value];
    }
    return node;
  };
  const Operators& operators = trace_.operators();
  const EventSpan kernels = trace_.OfKind(EventKind::kKernel);
  for (std::uint32_t row = 0; row < operators.event.size(); ++row) {
    const EventId kernel = operators.event[row];
    if (!kernels.Contains(kernel)) break;  // Ranges follow behind.
    NodeId& at = h_.node_of_work_[kernel.value];
    while (nodes_.level[at.value] > Level::kLayer) at = nodes_.parent[at.value];
    if (operators.module[row].valid()) at = below(at, Level::kLayer, operators.module[row]);
    if (operators.role[row] != OperatorRole::kOperation) continue;
    at = below(at, Level::kOp, operators.name[row]);
  }
}

// Replayed work goes below a copy, in the range of the replay, of the layers and operations of its
// capture.
void HierarchyBuilder::PlaceGraphWork() {
  PlaceNamedKernels();
  const CapturedNodes captured(trace_);
  if (captured.empty()) return;
  for (EventId work : trace_.DeviceWork()) {
    const std::uint64_t node = GraphNodeOf(trace_, work);
    if (node == kMissing<std::uint64_t>) continue;
    const EventId origin = captured.Captured(trace_.process_of(work), node);
    if (!origin.valid()) continue;
    const HostRanges::Place place = ranges_.OfGraphObject(origin);
    if (place.range == HostRanges::kNone) continue;
    NodeId& at = h_.node_of_work_[work.value];
    at = MirrorChain(NodeOfRange(place.range), at, Source::kCapture, Level::kLibrary);
  }
}

}  // namespace xsp
