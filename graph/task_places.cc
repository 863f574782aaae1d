#include "graph/task_places.h"

namespace xsp {

TaskPlaces::TaskPlaces(const TaskGraph& graph)
    : graph_(graph), hierarchy_(*graph.hierarchy), layers_(1) {
  const Nodes& nodes = hierarchy_.nodes();
  layer_of_node_.resize(nodes.size());
  std::unordered_map<std::string, std::uint32_t> rows;
  for (NodeId node : hierarchy_.TopDown()) {
    const NodeId parent = nodes.parent[node.value];
    const std::uint32_t above = parent.valid() ? layer_of_node_[parent.value] : 0;
    layer_of_node_[node.value] = above;
    if (nodes.level[node.value] != Level::kLayer) continue;
    std::string path = layers_[above];
    path += (above == 0 ? "" : "/") + std::string(hierarchy_.Name(node));
    const auto [it, is_new] = rows.emplace(path, static_cast<std::uint32_t>(layers_.size()));
    if (is_new) layers_.push_back(std::move(path));
    layer_of_node_[node.value] = it->second;
  }
}

std::string_view TaskPlaces::Layer(std::uint32_t task) const {
  if (!graph_.IsHost(task)) {
    return layers_[layer_of_node_[hierarchy_.NodeOfWork(graph_.event[task]).value]];
  }
  if (graph_.kind[task] != TaskKind::kCall) return {};
  return layers_[layer_of_node_[hierarchy_.NodeOfCall(graph_.event[task]).value]];
}

std::string_view TaskPlaces::Range(std::uint32_t task) const {
  const Trace& trace = *graph_.trace;
  const std::uint32_t host = graph_.IsHost(task) ? task : graph_.call[graph_.OpIndex(task)];
  const EventId event = graph_.event[host];
  const NameTable& names = hierarchy_.names();
  if (graph_.kind[host] == TaskKind::kLoad) {
    return names.Text(names.OfRange(trace.name_of(event)).name);
  }
  if (graph_.kind[host] != TaskKind::kCall) return {};
  const HostRanges& ranges = hierarchy_.ranges();
  const HostRanges::Place place = ranges.OfCall(event);
  if (place.range == HostRanges::kNone) return {};
  return names.Text(names.OfRange(trace.name_of(ranges.event(place.range))).name);
}

std::string_view TaskPlaces::Class(std::uint32_t op) const {
  return NameOf(hierarchy_.kinds().Of(*graph_.trace, graph_.event[op]).kernel_class);
}

}  // namespace xsp
