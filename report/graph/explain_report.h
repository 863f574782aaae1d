#pragma once

#include "graph/task_graph.h"
#include "report/tables/report.h"

namespace xsp {

// Why a task began and finished no earlier: each of its edges, which one decided, and what the rule
// behind it means.
Report MakeExplainReport(const TaskGraph& graph, TaskId task, const TraceSource& source);

}  // namespace xsp
