#pragma once

#include "graph/path_analysis.h"
#include "report/json.h"

namespace xsp {

// The fields of critical-path's JSON.
Json PathJson(const TaskGraph& graph, const TaskPlaces& places, const PathAnalysis& analysis);

}  // namespace xsp
