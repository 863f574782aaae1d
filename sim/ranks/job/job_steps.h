#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/ranks/rank_matching.h"

namespace xsp {

// Which steps of a job are looked at, and which step of a rank is which.
struct JobSteps {
  std::vector<std::int64_t> steps;  // By the numbers of the first rank.
  std::vector<std::int64_t> moved;  // By rank: added to its own numbers.
  std::vector<bool> is_used;        // By rank: its recording holds enough of them.
  bool is_whole = false;            // No rank has steps: all of the recording is one.
  std::vector<std::string> notes;

  // The place of a rank's step among those that are looked at.
  std::optional<std::uint32_t> Find(std::size_t rank, std::int64_t step) const;
};

// Steps are told apart by the collectives in them: where a recording begins later, its first step
// is another one than that of the others.
JobSteps FindJobSteps(std::span<const RankTables> ranks, const MatchedCollectives& matching);

}  // namespace xsp
