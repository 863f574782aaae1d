#pragma once

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// The graph in which the overlay's costs are its own, for all that takes a graph.
TaskGraph Bake(TaskGraph graph, const Overlay& overlay);

// The graph as it would have been measured, had it run as simulated: for what looks at measured
// times, such as idle causes and overlap. What the trace has besides the graph's tasks (migrations,
// samples, system calls) has no simulated time and counts no more.
TaskGraph Retime(TaskGraph graph, const Schedule& schedule);

}  // namespace xsp
