#pragma once

#include <string>
#include <vector>

#include "diff/trend/trend.h"
#include "report/tables/report.h"

namespace xsp {

struct TrendReportOptions {
  std::string what;           // "runs in jobs", "runs of baseline main".
  std::string point = "run";  // What a point is: a run, or a step of one.
  std::string metric;         // "step".
  std::string kind;           // Of the steps; empty: there are no kinds.
  std::vector<TrendGateResult> gates;
  std::vector<std::string> left_out;  // Runs that tell nothing, and why, a line each.
  std::size_t top = 20;               // Points that people see, the newest; 0: all.
};

// `trend` is in nanoseconds.
Report MakeTrendReport(const Trend& trend, const TrendReportOptions& options);

}  // namespace xsp
