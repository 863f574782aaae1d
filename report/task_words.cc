#include "report/task_words.h"

#include "hierarchy/call_names.h"
#include "report/devices.h"

namespace xsp {

std::string TaskWords::Name(TaskId task) const {
  const Trace& trace = *graph_.trace;
  const EventId event = graph_.event[task.value];
  if (graph_.IsNew(task.value)) return graph_.labels[graph_.label[task.value].value];
  switch (graph_.kind[task.value]) {
    case TaskKind::kBefore:
      return "what was issued before the recording";
    case TaskKind::kKernel:
      return std::string(kernels_.Of(event));
    case TaskKind::kMemcpy:
      return "copy " + std::string(NameOf(graph_.op_class[graph_.OpIndex(task.value)]));
    case TaskKind::kMemset:
      return "memset";
    case TaskKind::kGraphSpan:
      return "CUDA graph";
    case TaskKind::kLoad:
      return std::string(trace.name(event));
    case TaskKind::kCall:
      break;
  }
  return std::string(CallName(trace.name(event)));
}

std::string TaskWords::NameAndPlace(TaskId task) const {
  if (graph_.kind[task.value] == TaskKind::kBefore) return Name(task);
  const std::uint32_t lane = graph_.lane[task.value];
  const std::uint32_t track =
      graph_.IsHost(task.value) ? lane : static_cast<std::uint32_t>(graph_.threads.size()) + lane;
  return Name(task) + " on " + OfTrack(track);
}

std::string TaskWords::OfTrack(std::uint32_t track) const {
  const Trace& trace = *graph_.trace;
  if (track < graph_.threads.size()) {
    const GraphThread& thread = graph_.threads[track];
    if (thread.track.valid()) {
      return "thread " + std::to_string(trace.track(thread.track).thread) + Label(thread.label);
    }
    return thread.label.valid() ? "thread" + Label(thread.label) : "before the recording";
  }
  const GraphStream& stream = graph_.streams[track - graph_.threads.size()];
  const std::string device =
      graph_.devices.size() > 1
          ? "device " + std::to_string(DeviceNumber(graph_, stream.device)) + " "
          : "";
  const std::string number =
      stream.track.valid() ? " " + std::to_string(trace.track(stream.track).stream) : "";
  return device + "stream" + number + Label(stream.label);
}

std::string TaskWords::Label(LabelId label) const {
  return label.valid() ? " " + graph_.labels[label.value] : "";
}

std::string TaskWords::Row(TaskId task) const {
  const Trace& trace = *graph_.trace;
  const EventId event = graph_.event[task.value];
  if (!event.valid()) return "";
  const std::uint32_t correlation = trace.events().correlation[event.value];
  return std::string(NameOf(trace.KindOf(event))) +
         (correlation != 0 ? ", correlation " + std::to_string(correlation) : "") + ", begins at " +
         std::to_string(trace.begin(event)) + " ns";
}

std::uint32_t DeviceNumber(const TaskGraph& graph, std::uint32_t device) {
  for (const GraphStream& stream : graph.streams) {
    if (stream.device != device || !stream.track.valid()) continue;
    const auto number = DeviceNumber(*graph.trace, graph.trace->track(stream.track));
    if (number) return *number;
  }
  return graph.devices[device].ordinal;
}

}  // namespace xsp
