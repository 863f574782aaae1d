#pragma once

#include <vector>

#include "graph/assessment.h"
#include "report/report.h"

namespace xsp {

// Fills in the fields of graph's JSON. The report refers to the graph.
void AddGraphFields(const TaskGraph& graph, const GraphAssessment& assessment, Report& report);

// An idle gap that the graph cannot explain, whole or in part; the worst first.
std::vector<IdleGap> UnexplainedGaps(const IdleReport& idle);

}  // namespace xsp
