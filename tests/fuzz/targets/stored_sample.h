#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xsp::fuzz {

// Writes a small stored trace with rows in every table.
void WriteStoredSample(const std::filesystem::path& folder);

// The tables of that trace that have a file, in the order of their names.
std::vector<std::string> TablesOf(const std::filesystem::path& folder);

}  // namespace xsp::fuzz
