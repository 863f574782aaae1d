#include "graph/task_places.h"

namespace xsp {

TaskPlaces::TaskPlaces(const TaskGraph& graph)
    : graph_(graph), hierarchy_(*graph.hierarchy), layers_(hierarchy_), open_(hierarchy_, true) {
  layer_paths_.resize(layers_.number_count());
  if (!graph.label.empty()) FindNeighbours();
  // Only the layers that tasks are in.
  for (TaskId task : graph.tasks()) {
    const NodeId node = NodeOf(task);
    if (!node.valid()) continue;
    const LayerMap::Place place = layers_.PlaceOf(node);
    if (!place.is_layer) continue;
    std::string& path = layer_paths_[layers_.NumberOf(place)];
    if (path.empty()) path = layers_.PathOf(place);
  }
}

// What an edit put in belongs where the task before it on its thread does, or else the one behind.
void TaskPlaces::FindNeighbours() {
  for (const std::string& label : graph_.labels) {
    label_classes_.push_back(KernelRules::BuiltIn().Classify(label).kernel_class);
  }
  neighbour_.resize(graph_.host_count());
  for (const GraphThread& thread : graph_.threads) {
    TaskId known = thread.first;
    while (known < thread.last && graph_.IsNew(known)) ++known.value;
    for (TaskId task : thread.tasks()) {
      if (!graph_.IsNew(task)) known = task;
      neighbour_[task] = known < thread.last ? known : task;
    }
  }
}

TaskId TaskPlaces::HostOf(TaskId task) const {
  const TaskId host = graph_.IsHost(task) ? task : graph_.CallOf(task);
  return neighbour_.empty() ? host : neighbour_[host];
}

NodeId TaskPlaces::NodeOf(TaskId task) const {
  if (!graph_.IsHost(task) && !graph_.IsNew(task)) {
    return hierarchy_.NodeOfWork(graph_.event[task]);
  }
  const TaskId host = HostOf(task);
  if (graph_.kind[host] != TaskKind::kCall || graph_.IsNew(host)) return {};
  return hierarchy_.NodeOfCall(graph_.event[host]);
}

std::string_view TaskPlaces::Layer(TaskId task) const {
  const NodeId node = NodeOf(task);
  if (!node.valid()) return {};
  return layer_paths_[layers_.NumberOf(layers_.PlaceOf(node))];
}

std::string_view TaskPlaces::Range(TaskId task) const {
  const Trace& trace = *graph_.trace;
  const TaskId host = HostOf(task);
  if (graph_.IsNew(host)) return {};
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

bool TaskPlaces::RangeIsOwn(TaskId task) const {
  const TaskId host = HostOf(task);
  if (graph_.IsNew(host) || graph_.kind[host] != TaskKind::kCall) return true;
  return !hierarchy_.ranges().OfCall(graph_.event[host]).temporal;
}

std::vector<OpenRanges::Piece> TaskPlaces::GapBefore(TaskId host) const {
  const TimeNs end = graph_.measured_begin[host];
  const TimeRange time = {end - graph_.gap[host], end};
  const TrackId track = graph_.threads[graph_.lane[host]].track;
  if (time.Empty()) return {};
  if (!track.valid() || graph_.IsNew(host)) return {{time, {}, false}};
  return open_.During(track, time);
}

KernelClass TaskPlaces::ClassOfNew(TaskId op) const {
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

std::string_view TaskPlaces::Class(TaskId op) const {
  if (graph_.IsNew(op)) return NameOf(ClassOfNew(op));
  return NameOf(hierarchy_.kinds().Of(*graph_.trace, graph_.event[op]).kernel_class);
}

}  // namespace xsp
