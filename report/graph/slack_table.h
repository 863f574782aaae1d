#pragma once

#include "graph/readings/path_analysis.h"
#include "report/tables/table.h"

namespace xsp {

// How much longer kernels (by class), copies and calls (by name) could take without the unit
// ending later: what has the least first. People see `top` rows; 0: all.
Table SlackByNameTable(const TaskGraph& graph, const TaskPlaces& places,
                       const PathAnalysis& analysis, std::size_t top);

// The same of every task that lies in the unit. Refers to the analysis.
Table SlackTable(const TaskGraph& graph, const PathAnalysis& analysis);

}  // namespace xsp
