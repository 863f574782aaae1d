#pragma once

#include <vector>

#include "graph/assessment.h"
#include "report/json.h"
#include "report/task_words.h"

namespace xsp {

// The fields of graph's JSON.
Json GraphJson(const TaskGraph& graph, const GraphAssessment& assessment, const TaskWords& words);

// An idle gap that the graph cannot explain, whole or in part; the worst first.
std::vector<IdleGap> UnexplainedGaps(const IdleReport& idle);

}  // namespace xsp
