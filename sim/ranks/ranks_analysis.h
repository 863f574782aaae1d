#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ranks/blame.h"
#include "sim/ranks/collective_rows.h"
#include "sim/ranks/rank_clocks.h"
#include "sim/ranks/rank_waits.h"
#include "sim/ranks/slowdown.h"

namespace xsp {

// Everything that `xsp ranks` tells of a job, from its operations alone.
struct RanksAnalysis {
  JobOperations job;
  OpTimes measured;
  JobSlowdown all;    // Against the mean over all workers: as in published work.
  JobSlowdown peers;  // Against the mean over workers that do equal work.
  RankWaits waits;
  Blame blame;
  std::vector<CollectiveRow> collectives;
  std::vector<HostClock> clocks;   // By host; none where all times are of one clock.
  std::size_t contradictions = 0;  // Waits that no order of the operations can keep.
};

// `clock_noise`: how well the clocks of the workers agree.
RanksAnalysis AnalyzeJob(JobOperations job, DurationNs clock_noise);

}  // namespace xsp
