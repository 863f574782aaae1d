#include <map>

#include "hierarchy/placing/hierarchy_builder.h"

// Some frameworks mark where a module begins and ends instead of holding it in a range: PyTorch's
// FSDP has "FSDP::pre_forward (blocks.3)" before and "FSDP::post_forward (blocks.3)" after its
// operations. What comes in between becomes a layer.
namespace xsp {
namespace {

// The module that a hook of this role speaks of; none for all other ranges.
StringId HookedModule(const Trace& trace, EventId range, OperatorRole role) {
  const std::uint32_t op = trace.OperatorOf(range);
  if (op == Trace::kNoOperator || trace.operators().role[op] != role) return {};
  return trace.operators().module[op];
}

// A layer that has begun on a thread and not ended yet.
struct OpenLayer {
  StringId module;
  NodeId parent;  // Of what it takes in.
  NodeId node;
};

}  // namespace

void HierarchyBuilder::LayersFromHooks() {
  std::map<TrackId, std::vector<OpenLayer>> open;
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const NodeId node = NodeOfRange(i);
    const EventId e = ranges_.event(i);
    const StringId begins = HookedModule(trace_, e, OperatorRole::kModuleBegin);
    if (open.empty() && !begins.valid()) continue;
    std::vector<OpenLayer>& layers = open[trace_.track_of(e)];
    const NodeId parent = nodes_.parent[node.value];
    if (begins.valid()) {
      const NodeId above =
          layers.empty() || layers.back().parent != parent ? parent : layers.back().node;
      const NodeId layer = nodes_.Add(above, std::max(Level::kLayer, nodes_.level[above.value]),
                                      Source::kRange, h_.names_.OfString(begins));
      nodes_.phase[layer.value] = nodes_.phase[above.value];
      layers.push_back({begins, parent, layer});
    }
    // What stands below another parent (another step, a range in between) is not meant.
    while (!layers.empty() && layers.back().parent != parent &&
           nodes_.level[parent.value] <= Level::kPhase) {
      layers.pop_back();
    }
    if (layers.empty() || layers.back().parent != parent) continue;
    nodes_.parent[node.value] = layers.back().node;
    ExtendHost(layers.back().node, trace_.begin(e), trace_.end(e));
    if (HookedModule(trace_, e, OperatorRole::kModuleEnd) == layers.back().module) {
      layers.pop_back();
    }
  }
}

}  // namespace xsp
