#pragma once

#include "graph/path_analysis.h"
#include "report/table.h"

namespace xsp {

// How much longer kernels (by class), copies and calls (by name) could take without the unit
// ending later: what has the least first.
Table SlackTable(const TaskGraph& graph, const TaskPlaces& places, const PathAnalysis& analysis,
                 std::size_t top);

}  // namespace xsp
