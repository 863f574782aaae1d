#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/trust/trust.h"
#include "model/operations_table.h"
#include "model/rank_tables.h"
#include "sim/ranks/blame.h"
#include "sim/ranks/collective_rows.h"
#include "sim/ranks/job_whatifs.h"
#include "sim/ranks/rank_clocks.h"
#include "sim/ranks/rank_waits.h"
#include "sim/ranks/slowdown.h"

namespace xsp {

// How far what is simulated of a job can be trusted: the worst of some doubts.
struct JobTrust {
  TrustLevel level = TrustLevel::kHigh;
  std::vector<std::string> reasons;  // What makes it less than high, one sentence each.
};

// Everything that `xsp ranks` tells of a job.
struct RanksAnalysis {
  JobOperations job;
  OpTimes measured;
  double measured_step_ns = 0;  // The mean over ranks and steps, as recorded.
  JobSlowdown all;              // Against the mean over all workers: as in published work.
  JobSlowdown peers;            // Against the mean over workers that do equal work.
  RankWaits waits;
  Blame blame;
  std::vector<CollectiveRow> collectives;  // By communicator, where that is known.
  std::vector<CollectiveRow> sorts;        // The same over all communicators of a sort.
  std::vector<HostClock> clocks;           // By host; none where all times are of one clock.
  std::vector<JobForecast> forecasts;
  JobTrust trust;
  std::vector<std::string> notes;  // What is missing or odd, one sentence each.

  // How far the simulated step is off.
  double ReplayError() const {
    return measured_step_ns > 0 ? all.step_ns / measured_step_ns - 1 : 0;
  }
};

RanksAnalysis AnalyzeOperations(const OperationsTable& table, const JobWhatIfs& whatifs);

// `ranks` are sorted by their numbers. Throws Error where nothing can be told.
RanksAnalysis AnalyzeRanks(std::span<const RankTables> ranks, const JobWhatIfs& whatifs);

}  // namespace xsp
