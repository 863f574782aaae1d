#include "graph/device_map.h"

#include <map>
#include <tuple>

#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

// What makes a GPU the same one: its number and itself, if known. A rank that an edit added runs on
// a GPU of its own, whatever the one was on which it was recorded.
using Key = std::tuple<std::uint32_t, GpuId, ProcessId>;

Key KeyOfTrack(const Trace& trace, const Track& track) {
  return {DeviceNumber(trace, track).value_or(0), track.gpu, ProcessId()};
}

Key KeyOfDevice(const Trace& trace, const GraphDevice& device) {
  Track track;
  track.gpu = device.gpu;
  track.device = device.ordinal;
  Key key = KeyOfTrack(trace, track);
  if (device.process.value >= trace.processes().size()) std::get<ProcessId>(key) = device.process;
  return key;
}

// By track: the row of TaskGraph::devices that its operations run on; kNone where it has none. Rows
// of a file may name a device that is not there: what counts is where their stream was put. Ranks
// that an edit added are no track's.
std::vector<std::uint32_t> GraphDevicesOfTracks(const TaskGraph& graph) {
  const Trace& trace = *graph.trace;
  std::vector<std::uint32_t> devices(trace.tracks().size(), DeviceMap::kNone);
  for (TaskId op : graph.ops()) {
    const std::uint32_t device = graph.DeviceOf(op);
    const EventId event = graph.event[op];
    if (!event.valid() || graph.devices[device].process.value >= trace.processes().size()) continue;
    devices[trace.track_of(event).value] = device;
  }
  return devices;
}

}  // namespace

DeviceMap::DeviceMap(const TaskGraph& graph) {
  const Trace& trace = *graph.trace;
  std::map<Key, std::uint32_t> places;
  std::vector<std::uint8_t> is_used(graph.devices.size());
  for (TaskId op : graph.ops()) {
    is_used[graph.DeviceOf(op)] = 1;
  }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) places[KeyOfDevice(trace, graph.devices[i])] = 0;
  }
  const std::vector<std::uint32_t> device_of = GraphDevicesOfTracks(graph);
  auto key_of = [&](std::size_t track) {
    return device_of[track] != kNone ? KeyOfDevice(trace, graph.devices[device_of[track]])
                                     : KeyOfTrack(trace, trace.tracks()[track]);
  };
  std::vector<std::uint8_t> has_work(trace.tracks().size());
  for (EventId work : trace.DeviceWork()) has_work[trace.track_of(work).value] = 1;
  for (std::size_t i = 0; i < has_work.size(); ++i) {
    if (has_work[i]) places[key_of(i)] = 0;
  }
  for (auto& [key, place] : places) {
    place = static_cast<std::uint32_t>(numbers_.size());
    numbers_.push_back(std::get<0>(key));
  }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    of_graph_device_.push_back(is_used[i] ? places[KeyOfDevice(trace, graph.devices[i])] : kNone);
  }
  of_track_.assign(trace.tracks().size(), kNone);
  for (std::size_t i = 0; i < has_work.size(); ++i) {
    if (has_work[i]) of_track_[i] = places[key_of(i)];
  }
}

}  // namespace xsp
