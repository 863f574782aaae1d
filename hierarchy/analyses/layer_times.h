#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/layers.h"

namespace xsp {

// What one layer took in one step (or in the whole trace), of one occurrence.
struct LayerTimes {
  LayerMap::Place place;
  DurationNs latency = 0;  // See MeasureLayers.
  DurationNs host = 0;     // When the host was in it.
  DurationNs gpu = 0;      // Kernels and whole graphs of the layer within its latency, as a union.
  DurationNs copies =
      0;  // Its copies and memsets within its latency, where none of its kernels is.
  std::vector<EventId> work;
};

// A device's work of one step (or of the whole trace) in the order of its launches.
struct DeviceStep {
  std::vector<EventId> work;
  std::vector<NodeId> idle_layers;  // Layers without device work; ascending by host begin.
  TimeRange time;                   // At its begin all device work of earlier steps has finished.
};

// The layers of a step in the order in which they began. On an asynchronous trace a layer's latency
// lasts from its begin on the host, or from the end of the device work before it, whichever is
// later, to the end of its last device work. So latencies of work do not overlap, and what a layer
// waits for others is not its own. A layer that is left and entered again (another one inside it)
// has the sum of its parts; one without device work has its time on the host, as far as it lies in
// the step and no earlier device work hides it. Work in no layer is measured in the same way,
// launch by launch.
//
// These are no sums of PathTotals, and cannot be read from there: a layer that comes twice in a
// step is two rows of a model and one path; a path's time holds what is below it and overlaps its
// neighbours', while latencies add up along the step. What a layer is, both ask LayerMap or the
// hierarchy's levels.
std::vector<LayerTimes> MeasureLayers(const Hierarchy& hierarchy, const LayerMap& layers,
                                      const DeviceStep& step);

}  // namespace xsp
