#pragma once

#include "graph/readings/path_analysis.h"
#include "graph/task_graph.h"
#include "report/tables/report.h"
#include "sim/diagnosis/diagnosis.h"

namespace xsp {

// What decided how long a unit took: the critical path as breakdowns that sum to the measured time,
// folded into runs; slack; and the path that is left when its largest part costs nothing. `top`
// limits the rows of tables; 0: all. Refers to what it is given.
Report MakePathReport(const TaskGraph& graph, const TaskPlaces& places,
                      const PathAnalysis& analysis, const Diagnosis& diagnosis,
                      const TraceSource& source, const Window& window, std::size_t top);

}  // namespace xsp
