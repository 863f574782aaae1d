#pragma once

#include "graph/readings/path_analysis.h"
#include "report/tables/json.h"

namespace xsp {

// The fields of critical-path's JSON, for a report with the tables "breakdown", "by_layer",
// "by_range", "runs", "path", "next" and "slack".
Json PathJson(const PathAnalysis& analysis);

}  // namespace xsp
