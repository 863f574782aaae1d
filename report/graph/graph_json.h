#pragma once

#include "graph/readings/assessment.h"
#include "report/tables/json.h"

namespace xsp {

// The fields of graph's JSON, for a report with the tables of graph_tables.h: "steps",
// "violated_edges" and "unexplained".
Json GraphJson(const TaskGraph& graph, const GraphAssessment& assessment);

}  // namespace xsp
