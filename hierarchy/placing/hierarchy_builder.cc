#include "hierarchy/placing/hierarchy_builder.h"

#include <algorithm>

namespace xsp {

HierarchyBuilder::HierarchyBuilder(Hierarchy& result)
    : trace_(result.trace()), h_(result), nodes_(result.nodes_), ranges_(result.ranges_) {
  for (const NvtxDomain& domain : trace_.domains()) {
    kind_of_domain_.push_back(KindOfDomain(trace_.strings().Get(domain.name)));
  }
  for (const Track& track : trace_.tracks()) {
    is_backward_thread_.push_back(IsBackwardThread(trace_.strings().Get(track.name)) ? 1 : 0);
  }
}

// Root, processes, then all ranges in order of time: a range's node number follows from its place.
void HierarchyBuilder::AddRanges() {
  const auto processes = static_cast<std::uint32_t>(trace_.processes().size());
  first_range_ = 1 + processes;
  nodes_.Reserve(first_range_ + ranges_.size() + 64);
  nodes_.Add(NodeId(), Level::kTrace, Source::kNone, h_.names_.Intern("trace"));
  for (const Process& process : trace_.processes()) {
    const std::string name(trace_.strings().Get(process.name, "process"));
    nodes_.Add(h_.root(), Level::kRank, Source::kNone,
               h_.names_.Intern(name + " [" + std::to_string(process.pid) + "]"));
  }
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const EventId e = ranges_.event(i);
    const HostRanges::Place place = ranges_.parent(i);
    const NodeId parent = place.range == HostRanges::kNone ? h_.NodeOfProcess(trace_.process_of(e))
                                                           : NodeOfRange(place.range);
    const bool inherits = place.range != HostRanges::kNone && !place.temporal;
    const NodeId node = nodes_.Add(parent, Level::kLayer, Source::kRange,
                                   h_.names_.OfRange(trace_.name_of(e)).name);
    if (place.temporal) nodes_.source[node.value] = Source::kTemporal;
    if (inherits) nodes_.source[node.value] = nodes_.source[parent.value];
    nodes_.event[node.value] = e;
    nodes_.host_begin[node.value] = trace_.begin(e);
    nodes_.host_end[node.value] = trace_.end(e);
  }
}

Level HierarchyBuilder::LevelByName(std::uint32_t range) const {
  const EventId e = ranges_.event(range);
  const EventKind kind = trace_.KindOf(e);
  if (kind == EventKind::kLibrary || kind == EventKind::kMpi) return Level::kLibrary;
  if (kind == EventKind::kDirective) return Level::kOp;
  const NameTable::Entry& entry = h_.names_.OfRange(trace_.name_of(e));
  const DomainKind domain = kind_of_domain_[trace_.nvtx().domain[trace_.Row(e, kind)].value];
  if (domain == DomainKind::kLibrary) return Level::kLibrary;
  const bool is_framework = domain == DomainKind::kTensorRt;
  if (entry.is_library && !is_framework) return Level::kLibrary;
  if (const std::optional<Level> level = LevelOfOperator(trace_, e)) return *level;
  if (const FrameworkText* const known = h_.names_.Known(trace_.name_of(e))) {
    if (const std::optional<Level> level = LevelOf(known->role)) return *level;
  }
  if (entry.phase != Phase::kNone) return Level::kPhase;
  return Level::kTrace;
}

// A name may tell the level. Else an outermost range is a phase and what is inside of one a layer.
// No range stands above its parent: a "forward" inside of a layer is a layer.
void HierarchyBuilder::AssignLevels() {
  for (NodeId node : h_.TopDown()) {
    const NodeId parent = nodes_.parent[node.value];
    if (!parent.valid()) continue;
    const Level above = nodes_.level[parent.value];
    Phase& phase = nodes_.phase[node.value];
    if (IsRange(node) && nodes_.level[node.value] != Level::kStep) {
      const std::uint32_t range = node.value - first_range_;
      const NameTable::Entry& entry = h_.names_.OfRange(
          nodes_.event[node.value].valid() ? trace_.name_of(ranges_.event(range)) : StringId());
      Level level = LevelByName(range);
      if (level == Level::kTrace) level = above < Level::kPhase ? Level::kPhase : Level::kLayer;
      // "forward pass" below "distributed_training": both are phases.
      const bool names_phase = level == Level::kPhase && entry.phase != Phase::kNone;
      if (above == Level::kPhase && level == Level::kPhase &&
          (!names_phase || nodes_.phase[parent.value] != Phase::kNone)) {
        level = Level::kLayer;
      }
      nodes_.level[node.value] = std::max(level, above);
      if (names_phase && nodes_.level[node.value] == Level::kPhase) phase = entry.phase;
    }
    if (phase == Phase::kNone) phase = nodes_.phase[parent.value];
  }
}

void HierarchyBuilder::ExtendHost(NodeId node, TimeNs begin, TimeNs end) {
  TimeNs& from = nodes_.host_begin[node.value];
  TimeNs& to = nodes_.host_end[node.value];
  const bool is_new = from == to;
  from = is_new ? begin : std::min(from, begin);
  to = is_new ? end : std::max(to, end);
}

NodeId HierarchyBuilder::MirrorOf(NodeId original, NodeId parent, Source source) {
  const std::uint64_t key = (std::uint64_t{parent.value} << 32) | original.value;
  auto [it, is_new] = mirrors_.try_emplace(key);
  if (is_new) {
    it->second =
        nodes_.Add(parent, nodes_.level[original.value], source, nodes_.name[original.value]);
    nodes_.origin[it->second.value] = original;
    nodes_.phase[it->second.value] = nodes_.phase[parent.value];
  }
  return it->second;
}

NodeId HierarchyBuilder::MirrorChain(NodeId original, NodeId parent, Source source, Level deepest) {
  std::vector<NodeId> chain;
  for (NodeId n = original; n.valid(); n = nodes_.parent[n.value]) {
    if (IsRange(n)) chain.push_back(n);
  }
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const Level level = nodes_.level[it->value];
    if (level >= Level::kLayer && level <= deepest) parent = MirrorOf(*it, parent, source);
  }
  return parent;
}

}  // namespace xsp
