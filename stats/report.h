#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/trace.h"
#include "stats/report_input.h"
#include "stats/selection.h"
#include "stats/stats_table.h"

namespace xsp {

// Data that a report is made from: one of these kinds must be in the trace.
struct NeededData {
  std::span<const EventKind> kinds;
  std::string_view what;  // "OS runtime calls".
  std::string_view flag;  // The option of nsys profile that records it.
};

// A report: NVIDIA's name for it, or ours where NVIDIA has none.
struct StatsReport {
  std::string_view name;
  std::string_view title;
  bool takes_names = false;                                   // ":base", ":mangled".
  bool takes_nvtx_name = false;                               // ":nvtx-name".
  bool takes_rows = false;                                    // ":rows=N".
  std::span<StatsTable (*const)(const ReportInput&)> tables;  // Most have one.
  std::span<const NeededData> needs;
};

// The reports of this folder: NVIDIA's in alphabetical order, then ours.
std::span<const StatsReport> AllStatsReports();

// The report of this name, or nullptr.
const StatsReport* FindStatsReport(std::string_view name,
                                   std::span<const StatsReport> among = AllStatsReports());

// A report as a user asks for it: "cuda_gpu_kern_sum:base".
struct ReportRequest {
  const StatsReport* report = nullptr;
  ReportOptions options;
};

// The names and options in "NAME[:OPTION]..."; throws Error that names what the report takes. The
// name must be that of a report.
ReportRequest ParseReportRequest(std::string_view text,
                                 std::span<const StatsReport> among = AllStatsReports());

// The tables of a report about the selected events. Split by device and the like, each gets a first
// column that tells the group, and percentages are shares of their group. Where none has rows, the
// first has a note that says what is missing and how to record it.
std::vector<StatsTable> RunReport(const ReportRequest& request, const EventSelection& events,
                                  GroupBy by, TraceIndexes& indexes);

}  // namespace xsp
