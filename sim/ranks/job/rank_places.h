#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/ranks/rank_matching.h"

namespace xsp {

// Where a rank stands in the job, as messages tell: whoever sends before it receives is at the
// first stage of a pipeline, others follow whom they receive from first. Ranks without messages are
// all of one stage, each a replica of its own.
struct RankPlace {
  std::int64_t stage = 0;
  std::int64_t data_parallel = 0;
};
std::vector<RankPlace> FindPlaces(std::span<const RankTables> ranks,
                                  const MatchedCollectives& matching);

// Ranks that do equal work: the same fingerprint at the same stage. Numbers from 0 without gaps.
// Where nearly every fingerprint is another one, only communication counts.
std::vector<std::uint32_t> FindGroups(std::span<const RankTables> ranks,
                                      const std::vector<RankPlace>& places);

}  // namespace xsp
