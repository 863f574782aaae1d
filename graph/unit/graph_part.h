#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/task_graph.h"
#include "graph/unit/unit.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/selection/selection.h"
#include "hierarchy/selection/window.h"
#include "model/names/kernel_rules.h"
#include "model/select.h"
#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// The part of a trace in which its dependency graph is looked at.
//
// Devices, processes, threads and streams that were asked for take the rest out of the trace before
// the graph is built: what was left out is untraced time in it. Steps, times and NVTX ranges only
// say where to look: the graph is always that of the whole run, so constants and task numbers do
// not change.
struct GraphPart {
  // On the heap, so that the hierarchy's reference to the trace holds when the part is moved.
  std::unique_ptr<const Trace> trace;
  std::unique_ptr<const Hierarchy> hierarchy;  // Of that trace.
  std::optional<TimeRange> time;  // Where to look, on the trace's clock; none: everywhere.
  UnitRequest request;            // The same for what speaks of a unit: steps, or times.
  // The instances of the NVTX range that was asked for; nothing where none was.
  std::optional<std::vector<EventId>> ranges;
  Window window;  // The same in words, for the first line.

  const Steps& steps() const { return hierarchy->steps(); }
};

// Throws Error for what is not in the trace, and where the part has no work on a device.
// `rules` tell the classes of kernels.
GraphPart ChooseGraphPart(Trace trace, const Selection& selection,
                          const KernelRules& rules = KernelRules::BuiltIn());

// The events of the trace that belong to the NVTX range that was asked for (selection.h); nothing
// where none was.
std::optional<EventMask> EventsOfRanges(const GraphPart& part);

// The unit that was asked for (graph/unit/unit.h). Says in the window which it is: "10 steps, 9
// of them 841.0 ms (±0.03 %), step 1 is cold: 865.6 ms".
Unit UnitOf(const TaskGraph& graph, GraphPart& part);

}  // namespace xsp
