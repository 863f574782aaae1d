#pragma once

#include "graph/assessment.h"
#include "graph/critical_path.h"
#include "graph/task_graph.h"
#include "report/report.h"

namespace xsp {

// What decided how long a unit took: the critical path as a breakdown that sums to the measured
// time, folded into runs; and the path that is left when its largest part costs nothing.
// Kernels are told by their class, as the rules say.
Report MakePathReport(const TaskGraph& graph, const Steps& steps, const KernelRules& rules,
                      const TraceSource& source, std::size_t top);

}  // namespace xsp
