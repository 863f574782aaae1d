#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/nsys_report.h"
#include "model/progress.h"
#include "model/rank_tables.h"
#include "store/dataset/dataset.h"

namespace xsp {

// The small tables of a trace: those that lie beside a stored one, else made from it and, where
// that is possible, kept there. `path` is whatever the user calls a trace. Throws Error.
std::vector<RankTables> OpenRankTables(const std::filesystem::path& path, Progress* progress,
                                       const NoteSink& note);

// The same traces, with the ranks of a run (or one of them) in the place of each run. Throws Error.
std::vector<std::string> TracesOf(const std::vector<std::string>& paths,
                                  std::optional<std::uint32_t> rank);

// Ranks that belong together, and what is odd about them, a line each.
struct OpenedRanks {
  std::vector<RankTables> ranks;
  std::vector<std::string> oddities;
};

// Of all ranks of a run that can be read, by rank. Throws Error where none can.
OpenedRanks OpenRun(const DatasetRun& run, Progress* progress, const NoteSink& note);

// A run of a dataset, or several traces, each with one or more ranks. Throws Error.
OpenedRanks OpenRanks(const std::vector<std::string>& paths, Progress* progress,
                      const NoteSink& note);

}  // namespace xsp
