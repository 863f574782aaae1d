#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/rank_tables.h"
#include "sim/ranks/job/job_operations.h"
#include "sim/ranks/rank_clocks.h"

namespace xsp {

// A job out of the small tables of its ranks.
struct TablesJob {
  JobOperations job;
  std::size_t steps = 0;                 // That are looked at.
  bool is_guessed = false;               // Which ranks communicate with which (MatchedCollectives).
  bool is_whole = false;                 // There are none: all of the recording is one.
  std::vector<std::uint32_t> rank_of;    // By worker: its place among the ranks.
  std::vector<std::int64_t> step_moved;  // By rank: added to the numbers of its steps.
  // By worker: rows of its collectives in the steps that are looked at, and the operation of each.
  std::vector<std::vector<std::uint32_t>> collectives_of;
  std::vector<std::vector<OpRow>> op_of_collective;
  std::vector<HostClock> clocks;
  DurationNs clock_noise = 0;
  double missing_ranks = 0;        // Of all ranks of the job, the share that was not recorded.
  std::vector<std::string> notes;  // What is missing or odd, one sentence each.
};

// Who waits for whom:
//  - Segments follow each other on a rank. One that a collective held back waits for it.
//  - A collective waits for the one before on its stream and for the compute before its begin: a
//    segment that runs on beside it is cut there.
//  - The host's calls of MPI wait for the compute before them, and hold back what follows.
// Time between the end of what is waited for and the begin is the host's (JobOperations::lag).
// Steps are those that count on most ranks; ranks whose recording holds less than half of them are
// left out, and named. `ranks` are sorted by their numbers. Throws Error where nothing is left.
TablesJob JobOfTables(std::span<const RankTables> ranks);

}  // namespace xsp
