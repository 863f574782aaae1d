#include <algorithm>

#include "hierarchy/hierarchy_builder.h"

// Backward operations carry the sequence number of the forward operation that made them. A number
// counts per forward thread and is shown by several nested ranges: the latest to begin is the one.
namespace xsp {
namespace {

// The latest forward range of each sequence number of one process.
class LatestForward {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void Set(std::int32_t sequence, std::uint32_t range, TrackId thread) {
    const auto at = static_cast<std::size_t>(sequence);
    if (at >= kMost) return;
    if (at >= latest_.size()) latest_.resize(std::max(at + 1, latest_.size() * 2));
    Entry& entry = latest_[at];
    // Two forward threads (as with DataParallel) count on their own: which one is meant is unknown.
    entry.ambiguous |= entry.range != kNone && entry.thread != thread;
    entry.range = range;
    entry.thread = thread;
  }

  std::uint32_t Get(std::int32_t sequence) const {
    const auto at = static_cast<std::size_t>(sequence);
    return at < latest_.size() && !latest_[at].ambiguous ? latest_[at].range : kNone;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 26;

  struct Entry {
    std::uint32_t range = kNone;
    TrackId thread;
    bool ambiguous = false;
  };
  std::vector<Entry> latest_;
};

}  // namespace

// The outermost range of its thread around a backward operation
// ("autograd::engine::evaluate_function: ...") moves below a copy of the forward layers.
void HierarchyBuilder::LinkBackward() {
  if (!h_.names_.has_backward()) return;
  std::vector<LatestForward> latest(trace_.processes().size());
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const EventId e = ranges_.event(i);
    const NameTable::Entry& entry = h_.names_.OfRange(trace_.name_of(e));
    if (entry.sequence < 0) continue;
    LatestForward& forward = latest[trace_.process_of(e).value];
    if (!entry.is_backward) {
      forward.Set(entry.sequence, i, trace_.track_of(e));
      continue;
    }
    const std::uint32_t origin = forward.Get(entry.sequence);
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
