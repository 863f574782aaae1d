#pragma once

#include <string>
#include <vector>

#include "graph/readings/path_analysis.h"
#include "hierarchy/totals/path_totals.h"
#include "report/html/packed.h"

namespace xsp {

// What the critical path of the simulated steps has at each path of a tree, itself only, as sums
// over these steps. `tree` keeps its places, calls included.
struct PathTimes {
  std::vector<DurationNs> by_node;  // Per row of PathTotals::nodes().
  std::uint32_t steps = 1;          // To be divided by.
};
PathTimes PathTimesOf(const PathTotals& tree, const TaskGraph& graph, const PathAnalysis& analysis);

// The across-stack tree as columns: its rows as `xsp tree` has them, parents before their children,
// with the class of device work and the time on the critical path. Where there are too many rows
// for a page, small ones go to [other], and `cut` says so. `path` may be null.
Json TreeColumns(const PathTotals& tree, const PathTimes* path, PackedTexts& texts,
                 std::vector<std::string>& cut);

}  // namespace xsp
