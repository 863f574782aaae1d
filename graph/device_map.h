#pragma once

#include <cstdint>
#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// The GPUs behind a graph, each once. A graph has a device per process, because each process has
// its own contexts and clock; but a GPU that two processes share is idle only when both leave it
// idle. Where a trace does not say which GPU a device is, its number tells.
class DeviceMap {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit DeviceMap(const TaskGraph& graph);

  // Those that do something, by number, then by GPU; migrating pages is something.
  std::size_t size() const { return numbers_.size(); }
  // As people know it (hierarchy/names/device_number.h).
  std::uint32_t number(std::uint32_t device) const { return numbers_[device]; }

  // The GPU behind a row of TaskGraph::devices; kNone where no operation runs on it.
  std::uint32_t OfGraphDevice(std::uint32_t row) const { return of_graph_device_[row]; }
  // The GPU that a track of device work lies on; kNone for other tracks.
  std::uint32_t OfTrack(TrackId track) const { return of_track_[track.value]; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> of_graph_device_;
  std::vector<std::uint32_t> of_track_;
};

}  // namespace xsp
