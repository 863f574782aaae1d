#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/rank_tables.h"

namespace xsp {

// What does not fit together in ranks that should be one run, a line each: a rank twice, ranks of
// jobs of different sizes or recorded at different times, other GPUs or versions, salvaged ones.
std::vector<std::string> OddRanks(const std::vector<RankTables>& ranks);

// "7 of 8 ranks are there", by what they say of their job; nothing where all are.
std::optional<std::string> MissingRanks(const std::vector<RankTables>& ranks);

}  // namespace xsp
