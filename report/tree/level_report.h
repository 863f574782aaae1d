#pragma once

#include <span>
#include <string>
#include <vector>

#include "hierarchy/leveled/leveled.h"
#include "report/tables/report.h"

namespace xsp {

// Which of the places people see, and in which order.
struct LevelViewOptions {
  Level deepest_level = Level::kLayer;
  std::size_t top = 20;  // 0: all.
  enum class Sort : std::uint8_t { kTime, kOverhead, kStart } sort = Sort::kTime;
};

// What each level costs, for people and for scripts. `runs` and `sources` are row for row the same.
Report MakeLevelReport(const LeveledRuns& leveled, std::span<const RunProfile> runs,
                       const std::vector<TraceSource>& sources, Statistic statistic,
                       const LevelViewOptions& view);

}  // namespace xsp
