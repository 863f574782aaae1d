#pragma once

#include "graph/readings/assessment.h"
#include "graph/task_graph.h"
#include "report/tables/report.h"

namespace xsp {

// What the dependency graph of a trace holds and how far it can be trusted: tasks, edges by rule,
// constants, replay, the halving test, what is explained and what is not. `top` limits lists.
// Refers to the graph.
Report MakeGraphReport(const TaskGraph& graph, const GraphAssessment& assessment,
                       const TraceSource& source, const Window& window, std::size_t top);

}  // namespace xsp
