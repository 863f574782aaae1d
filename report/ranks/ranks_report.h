#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/tables/report.h"
#include "sim/ranks/ranks_analysis.h"

namespace xsp {

// By what ranks are put together in the table that people see.
enum class RanksBy : std::uint8_t { kRank, kHost, kStage, kGpu };

struct RanksReportOptions {
  std::string run;  // What the job is called.
  std::vector<TraceSource> sources;
  std::vector<std::string> oddities;  // What does not fit together in the input, a line each.
  RanksBy by = RanksBy::kRank;
  std::size_t top = 20;  // Rows of the table of ranks, about; 0: all.
};

Report MakeRanksReport(const RanksAnalysis& analysis, const RanksReportOptions& options);

// The verdict in a sentence or two.
std::string RanksVerdict(const RanksAnalysis& analysis);

}  // namespace xsp
