#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "store/baselines/baselines.h"

namespace xsp {

// What index.json says of one run.
struct IndexEntry {
  std::string source;
  RunFacts facts;

  bool operator==(const IndexEntry&) const = default;
};

// By baseline and id of the run.
using BaselineIndex = std::map<std::pair<std::string, std::string>, IndexEntry>;

// Empty where there is none, or a damaged one.
BaselineIndex ReadIndex(const std::filesystem::path& folder);

// Puts a whole file in the place of the one before. Throws Error.
void WriteIndex(const std::filesystem::path& folder, const BaselineIndex& index);

}  // namespace xsp
