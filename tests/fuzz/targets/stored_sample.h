#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/kept_result.h"

namespace xsp::fuzz {

// Writes a small stored trace with rows in every table.
void WriteStoredSample(const std::filesystem::path& folder);

// The tables of that trace that have a file, in the order of their names.
std::vector<std::string> TablesOf(const std::filesystem::path& folder);

// The same with the small tables of a rank, with rows in each, and the text that says they are
// whole.
void WriteStoredRank(const std::filesystem::path& folder);
KeptResult KeptRankIndex(const std::filesystem::path& folder);

}  // namespace xsp::fuzz
