#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/tables/report.h"
#include "report/tables/units.h"
#include "stats/stats_table.h"

namespace xsp {

// The tables of one report, and how the user asked for it: "cuda_gpu_kern_sum:base".
struct RequestedStats {
  std::string request;
  std::vector<StatsTable> tables;
};

struct StatsReportOptions {
  TimeUnit time_unit = TimeUnit::kNs;  // Of all times, in every format: NVIDIA's tool has one unit.
  std::size_t shown = 0;               // Rows of a table that people see; 0: all.
  std::size_t most = 0;                // Rows of a table in every format; 0: all.
};

// Statistics under NVIDIA's own column names, in NVIDIA's units, order and rounding. JSON:
// `reports`, each with name, request, columns, rows (objects by column name), and a note where it
// has one. Rows are made when they are written: `stats` must outlive the report.
Report MakeStatsReport(const std::vector<RequestedStats>& stats, const TraceSource& source,
                       const std::string& gpus, const Window& window,
                       const StatsReportOptions& options);

}  // namespace xsp
