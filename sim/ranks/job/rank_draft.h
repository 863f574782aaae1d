#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/rank_tables.h"
#include "sim/ranks/job/job_kinds.h"
#include "sim/ranks/job/job_operations.h"
#include "sim/ranks/job/job_steps.h"
#include "sim/ranks/job/rank_turns.h"
#include "sim/ranks/rank_clocks.h"
#include "sim/ranks/rank_matching.h"

namespace xsp {

inline constexpr OpRow kNoOp = std::numeric_limits<OpRow>::max();

// An operation before all of them are sorted.
struct DraftOp {
  WorkerRow worker = 0;
  std::uint32_t step = 0;
  std::uint16_t type = 0;
  std::uint32_t kind = 0;
  TimeNs begin = 0;
  DurationNs duration = 0;
  DurationNs lag = 0;
  std::uint32_t lane = 0;
  JointRow joint = kNoJoint;
  std::array<OpRow, 3> waits_for = {kNoOp, kNoOp, kNoOp};

  TimeNs End() const { return begin + duration; }
};

// What all ranks of a job share while its operations are made.
struct JobDraft {
  const JobClock& clock;
  const JobSteps& steps;
  const MatchedCollectives& matching;
  const ReadyPlaces& ready;
  JobKinds& kinds;
  std::vector<DraftOp>& ops;
};

// Adds the operations of one rank, step by step. Returns that of each row of its collectives; kNoOp
// for those outside of the steps that are looked at.
std::vector<OpRow> DraftRank(const RankTables& tables, std::size_t rank, WorkerRow worker,
                             std::uint32_t group, const RankTurns& turns, const JobDraft& job);

}  // namespace xsp
