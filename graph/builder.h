#pragma once

#include "graph/task_graph.h"
#include "model/trace.h"

namespace xsp {

// Builds the dependency graph of a trace. Keeps a reference to the trace.
TaskGraph BuildGraph(const Trace& trace);

}  // namespace xsp
