#include <map>
#include <unordered_map>

#include "hierarchy/placing/hierarchy_builder.h"

// Backward operations carry the sequence number of the forward operation that made them. A number
// counts per forward thread and is shown by several nested ranges: the latest to begin is the one.
namespace xsp {
namespace {

// The latest forward range of each sequence number of one process.
class LatestForward {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void Set(std::int64_t sequence, std::uint32_t range, TrackId thread) {
    latest_[thread][sequence] = range;
  }

  // Each forward thread (as with DataParallel) counts on its own: where two of them have the
  // number, only a source that names the thread tells which one is meant.
  std::uint32_t Get(std::int64_t sequence, TrackId thread) const {
    std::uint32_t found = kNone;
    for (const auto& [track, latest] : latest_) {
      if (thread.valid() && thread != track) continue;
      const auto it = latest.find(sequence);
      if (it == latest.end()) continue;
      if (found != kNone) return kNone;
      found = it->second;
    }
    return found;
  }

 private:
  std::map<TrackId, std::unordered_map<std::int64_t, std::uint32_t>> latest_;
};

}  // namespace

// The outermost range of its thread around a backward operation
// ("autograd::engine::evaluate_function: ...") moves below a copy of the forward layers.
void HierarchyBuilder::LinkBackward() {
  const Operators& operators = trace_.operators();
  std::vector<LatestForward> latest(trace_.processes().size());
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const EventId e = ranges_.event(i);
    const std::uint32_t op = trace_.OperatorOf(e);
    if (op == Trace::kNoOperator || operators.sequence[op] < 0) continue;
    LatestForward& forward = latest[trace_.process_of(e).value];
    if (operators.is_backward[op] == 0) {
      forward.Set(operators.sequence[op], i, trace_.track_of(e));
      continue;
    }
    const std::uint32_t origin = forward.Get(operators.sequence[op], operators.forward_thread[op]);
    if (origin == LatestForward::kNone) continue;
    nodes_.origin[NodeOfRange(i).value] = NodeOfRange(origin);
    MoveToForwardLayer(i, origin);
  }
}

void HierarchyBuilder::MoveToForwardLayer(std::uint32_t range, std::uint32_t origin) {
  std::uint32_t outermost = range;
  while (true) {
    const HostRanges::Place place = ranges_.parent(outermost);
    if (place.range == HostRanges::kNone || place.temporal) break;
    if (nodes_.level[NodeOfRange(place.range).value] < Level::kOp) break;
    outermost = place.range;
  }
  const NodeId node = NodeOfRange(outermost);
  if (nodes_.source[node.value] == Source::kSequence) return;
  nodes_.source[node.value] = Source::kSequence;
  nodes_.parent[node.value] =
      MirrorChain(NodeOfRange(origin), nodes_.parent[node.value], Source::kSequence, Level::kLayer);
}

// Nested ranges have their place by the same fact as the outermost one of their thread.
void HierarchyBuilder::SettleSources() {
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const HostRanges::Place place = ranges_.parent(i);
    const NodeId node = NodeOfRange(i);
    if (place.range == HostRanges::kNone || place.temporal) continue;
    if (nodes_.source[node.value] == Source::kSequence) continue;
    if (nodes_.parent[node.value] == NodeOfRange(place.range)) {
      nodes_.source[node.value] = nodes_.source[NodeOfRange(place.range).value];
    }
  }
  h_.source_of_work_.assign(trace_.DeviceWork().size(), Source::kNone);
  for (EventId work : trace_.DeviceWork()) {
    const NodeId node = h_.NodeOfWork(work);
    Source source =
        nodes_.level[node.value] <= Level::kStep ? Source::kNone : nodes_.source[node.value];
    const EventId call = trace_.call_of(work);
    if (source == Source::kRange && call.valid() && ranges_.OfCall(call).temporal) {
      source = Source::kTemporal;
    }
    h_.source_of_work_[work.value] = source;
  }
}

}  // namespace xsp
