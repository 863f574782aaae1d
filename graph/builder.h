#pragma once

#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp {

// Builds the dependency graph of a trace. `hierarchy` is that of the same trace; the graph keeps
// references to both.
TaskGraph BuildGraph(const Trace& trace, const Hierarchy& hierarchy);
TaskGraph BuildGraph(const Trace& trace, Hierarchy&& hierarchy) = delete;  // Would not outlive it.

}  // namespace xsp
