#include "graph/task_places.h"

namespace xsp {

TaskPlaces::TaskPlaces(const TaskGraph& graph, const KernelRules& rules)
    : graph_(graph), hierarchy_(*graph.trace, rules), ranges_(*graph.trace), layers_(1) {
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
  if (!graph.label.empty()) FindNeighbours(rules);
}

// What an edit put in belongs where the task before it on its thread does, or else the one behind.
void TaskPlaces::FindNeighbours(const KernelRules& rules) {
  for (const std::string& label : graph_.labels) {
    label_classes_.push_back(rules.Classify(label).kernel_class);
  }
  neighbour_.resize(graph_.host_count());
  for (const GraphThread& thread : graph_.threads) {
    std::uint32_t known = thread.first;
    while (known < thread.last && graph_.IsNew(known)) ++known;
    for (std::uint32_t task = thread.first; task < thread.last; ++task) {
      if (!graph_.IsNew(task)) known = task;
      neighbour_[task] = known < thread.last ? known : task;
    }
  }
}

std::uint32_t TaskPlaces::HostOf(std::uint32_t task) const {
  const std::uint32_t host = graph_.IsHost(task) ? task : graph_.call[graph_.OpIndex(task)];
  return neighbour_.empty() ? host : neighbour_[host];
}

std::string_view TaskPlaces::Layer(std::uint32_t task) const {
  if (!graph_.IsHost(task) && !graph_.IsNew(task)) {
    return layers_[layer_of_node_[hierarchy_.NodeOfWork(graph_.event[task]).value]];
  }
  const std::uint32_t host = HostOf(task);
  if (graph_.kind[host] != TaskKind::kCall || graph_.IsNew(host)) return {};
  return layers_[layer_of_node_[hierarchy_.NodeOfCall(graph_.event[host]).value]];
}

std::string_view TaskPlaces::Range(std::uint32_t task) const {
  const Trace& trace = *graph_.trace;
  const std::uint32_t host = HostOf(task);
  if (graph_.IsNew(host)) return {};
  const EventId event = graph_.event[host];
  const NameTable& names = hierarchy_.names();
  if (graph_.kind[host] == TaskKind::kLoad) {
    return names.Text(names.OfRange(trace.name_of(event)).name);
  }
  if (graph_.kind[host] != TaskKind::kCall) return {};
  const HostRanges::Place place = ranges_.OfCall(event);
  if (place.range == HostRanges::kNone) return {};
  return names.Text(names.OfRange(trace.name_of(ranges_.event(place.range))).name);
}

KernelClass TaskPlaces::ClassOfNew(std::uint32_t op) const {
  switch (graph_.kind[op]) {
    case TaskKind::kKernel:
      return label_classes_[graph_.label[op].value];
    case TaskKind::kMemcpy:
      return KernelClass::kCopy;
    case TaskKind::kMemset:
      return KernelClass::kFill;
    default:
      return KernelClass::kOther;
  }
}

std::string_view TaskPlaces::Class(std::uint32_t op) const {
  if (graph_.IsNew(op)) return NameOf(ClassOfNew(op));
  return NameOf(hierarchy_.kinds().Of(*graph_.trace, graph_.event[op]).kernel_class);
}

}  // namespace xsp
