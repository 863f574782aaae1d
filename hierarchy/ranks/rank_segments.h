#pragma once

#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/ranks/compute_gaps.h"
#include "hierarchy/ranks/rank_collectives.h"
#include "hierarchy/ranks/rank_work.h"
#include "model/rank_tables.h"

namespace xsp {

// The compute of a process between its collectives (model/rank_tables.h), by begin.
std::vector<RankSegment> FindSegments(const Hierarchy& hierarchy, const std::vector<RankWork>& work,
                                      const std::vector<ComputeGap>& gaps,
                                      const RankCollectives& collectives);

}  // namespace xsp
