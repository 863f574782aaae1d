#pragma once

#include "graph/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// The graph in which the overlay's costs are its own, for all that takes a graph.
TaskGraph Bake(TaskGraph graph, const Overlay& overlay);

}  // namespace xsp
