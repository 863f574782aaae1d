#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/rank_tables.h"
#include "sim/ranks/job/job_operations.h"

namespace xsp {

// Which collectives of different ranks are the same one: by communicator and sequence; messages by
// their two ends and order. An instance is told by one number over all ranks: those of rank r begin
// at first[r], in the order of its table.
struct MatchedCollectives {
  std::vector<std::uint32_t> first;  // One more than there are ranks.
  std::vector<JointRow> joint;       // By instance; kNoJoint: no partner was found.
  RowLists members;                  // Instances, by joint operation.
  // Who takes part in what was not recorded, and not all ranks do: told by when it ends.
  bool is_guessed = false;

  std::uint32_t RankOf(std::uint32_t instance) const;
};

// Where the source told of no communicators, ranks whose operations end together take part in the
// same one. Where it did not count a communicator's operations, each rank counts from where its
// recording begins; those that begin later are moved to where ends lie together most evenly.
MatchedCollectives MatchCollectives(std::span<const RankTables> ranks);

// A rank's clock as all clocks of its host: its session's start added, less that of the first one.
std::vector<TimeNs> SessionStarts(std::span<const RankTables> ranks);

}  // namespace xsp
