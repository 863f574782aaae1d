#pragma once

#include <string>
#include <vector>

#include "diff/trend/trend.h"
#include "report/tables/report.h"

namespace xsp {

struct TrendReportOptions {
  std::string what;    // "runs in jobs", "baseline main".
  std::string metric;  // "step".
  std::vector<TrendGateResult> gates;
  std::vector<std::string> left_out;  // Runs that tell nothing, and why, a line each.
  std::size_t top = 20;               // Runs that people see, the newest; 0: all.
};

// `trend` is in nanoseconds.
Report MakeTrendReport(const Trend& trend, const TrendReportOptions& options);

}  // namespace xsp
