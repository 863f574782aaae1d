#pragma once

#include <vector>

#include "hierarchy/hierarchy.h"
#include "model/job_facts.h"
#include "model/rank_tables.h"

namespace xsp {

// The small tables of each rank in a trace: of every process with device work or MPI calls, in the
// order of processes. From interval unions and launch times; no graph of the program is built. None
// where there are more processes than any machine runs, or so many steps that the tables would not
// be small.
std::vector<RankTables> MakeRankTables(const Hierarchy& hierarchy, const JobFacts& job = {});

}  // namespace xsp
