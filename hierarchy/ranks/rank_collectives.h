#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/ranks/compute_gaps.h"
#include "hierarchy/ranks/disjoint_ranges.h"
#include "hierarchy/ranks/kernel_collectives.h"
#include "hierarchy/ranks/rank_work.h"
#include "model/rank_tables.h"

namespace xsp {

// The collectives of a rank by begin.
struct RankCollectives {
  std::vector<CollectiveInstance> rows;
  std::unordered_map<std::uint32_t, std::uint32_t> row_of_work;  // By place in the work.
};

// Those of one process: kernels that communicate, and MPI's collective calls. `others` is when
// device work other than communication was running, `gaps` when no compute was.
RankCollectives FindCollectives(const Hierarchy& hierarchy, ProcessId process,
                                const RankEvents& events, KernelCollectives& facts,
                                const DisjointRanges& others, const std::vector<ComputeGap>& gaps);

}  // namespace xsp
