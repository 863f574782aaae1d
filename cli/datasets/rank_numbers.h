#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/rank_tables.h"

namespace xsp {

// Recordings that do not tell their rank get the numbers in the names of their files, where these
// differ in nothing else; else some that nobody has, in the order in which they were given. Says
// so, then. `ranks` are in the order of `paths`, a file may hold several.
std::optional<std::string> NumberRanks(const std::vector<std::string>& paths,
                                       std::vector<RankTables>& ranks);

}  // namespace xsp
