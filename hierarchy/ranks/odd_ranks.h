#pragma once

#include <string>
#include <vector>

#include "model/rank_tables.h"

namespace xsp {

// What does not fit together in ranks that should be one run, a line each: a rank twice, one that
// says it is another, ranks of jobs of different sizes or recorded at different times, other GPUs
// or versions, ranks that are not there, salvaged ones. By rank, nothing else is changed.
std::vector<std::string> OddRanks(const std::vector<RankTables>& ranks);

}  // namespace xsp
