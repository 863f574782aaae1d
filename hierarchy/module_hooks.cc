#include <map>

#include "hierarchy/hierarchy_builder.h"

// Some frameworks mark where a module begins and ends instead of holding it in a range: PyTorch's
// FSDP has "FSDP::pre_forward (blocks.3)" before and "FSDP::post_forward (blocks.3)" after its
// operations. What comes in between becomes a layer.
namespace xsp {
namespace {

// "blocks.3" for "FSDP::pre_forward (blocks.3)" with the prefix "FSDP::pre_"; empty for others.
std::string_view ModuleOf(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(')')) return {};
  const std::size_t open = name.find('(');
  return open == name.npos ? std::string_view{} : name.substr(open + 1, name.size() - open - 2);
}

// A layer that has begun on a thread and not ended yet.
struct OpenLayer {
  std::string_view module;
  NodeId parent;  // Of what it takes in.
  NodeId node;
};

}  // namespace

void HierarchyBuilder::LayersFromHooks() {
  std::map<TrackId, std::vector<OpenLayer>> open;
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const NodeId node = NodeOfRange(i);
    const EventId e = ranges_.event(i);
    const std::string_view name = h_.Name(node);
    const std::string_view begins = ModuleOf(name, "FSDP::pre_");
    if (open.empty() && begins.empty()) continue;
    std::vector<OpenLayer>& layers = open[trace_.track_of(e)];
    const NodeId parent = nodes_.parent[node.value];
    if (!begins.empty()) {
      const NodeId above =
          layers.empty() || layers.back().parent != parent ? parent : layers.back().node;
      const NodeId layer = nodes_.Add(above, std::max(Level::kLayer, nodes_.level[above.value]),
                                      Source::kRange, h_.names_.Intern(begins));
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
    if (ModuleOf(name, "FSDP::post_") == layers.back().module) layers.pop_back();
  }
}

}  // namespace xsp
