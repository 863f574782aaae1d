#include "graph/task_places.h"

namespace xsp {

TaskPlaces::TaskPlaces(const TaskGraph& graph)
    : graph_(graph), hierarchy_(*graph.hierarchy), layers_(hierarchy_) {
  layer_paths_.resize(layers_.number_count());
  for (std::uint32_t n = 0; n < hierarchy_.nodes().size(); ++n) {
    const LayerMap::Place place = layers_.PlaceOf(NodeId(n));
    if (!place.is_layer) continue;
    std::string& path = layer_paths_[layers_.NumberOf(place)];
    if (path.empty()) path = layers_.PathOf(place);
  }
}

std::string_view TaskPlaces::Layer(std::uint32_t task) const {
  if (!graph_.IsHost(task)) {
    return layer_paths_[layers_.NumberOf(
        layers_.PlaceOf(hierarchy_.NodeOfWork(graph_.event[task])))];
  }
  if (graph_.kind[task] != TaskKind::kCall) return {};
  return layer_paths_[layers_.NumberOf(layers_.PlaceOf(hierarchy_.NodeOfCall(graph_.event[task])))];
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
