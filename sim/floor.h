#pragma once

#include <cstdint>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/unit/unit.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// The least that the operations of a part of a graph can take together, whatever their order: what
// the busiest stream, copy engine or channel has to do one after the other, and what the blocks of
// all kernels need of a device's multiprocessors, each as if it ran alone. Operations beside the
// steps do not count, nor do those of one stream that may overlap (branches of a CUDA graph,
// dependent launches), nor, where the unit is the step, what was launched between steps. `is_in`:
// per task, whether it belongs to the part.
DurationNs LeastTimeOf(const TaskGraph& graph, const Overlay& overlay,
                       const PerTask<std::uint8_t>& is_in, const Unit& unit, const Steps& steps);

}  // namespace xsp
