#include "report/graph/task_words.h"

#include "hierarchy/names/device_number.h"

namespace xsp {

std::string TaskWords::NameAndPlace(TaskId task) const {
  if (graph_.kind[task] == TaskKind::kBefore) return Name(task);
  const std::uint32_t lane = graph_.lane[task];
  const std::uint32_t track =
      graph_.IsHost(task) ? lane : static_cast<std::uint32_t>(graph_.threads.size()) + lane;
  return Name(task) + " on " + OfTrack(track);
}

std::string TaskWords::OfTrack(std::uint32_t track) const {
  if (track < graph_.threads.size()) return names_.OfThread(track);
  const auto row = static_cast<std::uint32_t>(track - graph_.threads.size());
  const std::string device =
      graph_.devices.size() > 1
          ? "device " + std::to_string(DeviceNumber(graph_, graph_.streams[row].device)) + " "
          : "";
  return device + names_.OfStream(row);
}

std::string TaskWords::Row(TaskId task) const {
  const Trace& trace = *graph_.trace;
  const EventId event = graph_.event[task];
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
