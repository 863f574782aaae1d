#pragma once

#include "graph/task_graph.h"
#include "report/tables/report.h"
#include "sim/diagnosis/leverage.h"

namespace xsp {

// What each group of tasks is worth, the most first.
Report MakeLeverageReport(const TaskGraph& graph, const std::vector<TaskGroup>& groups,
                          const LeverageReport& leverage, const TraceSource& source,
                          const Window& window, std::size_t top);

}  // namespace xsp
