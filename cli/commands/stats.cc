#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/names/device_number.h"
#include "report/screens/overlap_stats.h"
#include "report/screens/stats_report.h"
#include "stats/report.h"

namespace xsp {
namespace {

// What is shown when no report was asked for, and how much of each.
constexpr std::array<std::string_view, 5> kDefaultReports = {"cuda_gpu_kern_sum", "cuda_api_sum",
                                                             "cuda_gpu_mem_time_sum",
                                                             "cuda_gpu_mem_size_sum", "nvtx_sum"};
constexpr std::size_t kDefaultTop = 10;

// Tables of reports that have more than one; every report has one of its own name.
struct FurtherTable {
  std::string_view name, report;
};
constexpr std::array<FurtherTable, 3> kFurtherTables = {
    {{"launch_over_time", "launch"}, {"launch_latency", "launch"}, {"memory_over_time", "memory"}}};

std::vector<std::string> ReportNames() {
  std::vector<std::string> names;
  for (const StatsReport& report : PrintableStatsReports()) names.emplace_back(report.name);
  return names;
}

std::vector<std::string> TableNames() {
  std::vector<std::string> names = ReportNames();
  for (const FurtherTable& table : kFurtherTables) names.emplace_back(table.name);
  return names;
}

std::string ReportOfTable(const std::string& name) {
  for (const FurtherTable& table : kFurtherTables) {
    if (table.name == name) return std::string(table.report);
  }
  return name;
}

[[noreturn]] void NoSuchReport(const std::string& name) {
  const std::vector<std::string> names = ReportNames();
  std::string list;
  for (const std::string& one : names) list += (list.empty() ? "" : " ") + one;
  const std::string meant = DidYouMean(name, names);
  throw Error("no report is called '" + name + "'",
              (meant.empty() ? "" : meant + " ") + "reports: " + list);
}

ReportRequest RequestOf(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  if (FindStatsReport(name, PrintableStatsReports()) == nullptr) NoSuchReport(name);
  return ParseReportRequest(text, PrintableStatsReports());
}

class StatsAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    options
        .Add("-r,--report", reports_,
             "Which reports, as in cuda_gpu_kern_sum:base,osrt_sum; may be repeated")
        .Commas()
        .Value("NAME[:OPTION]...")
        .Words(ReportNames());
    options.Choice(
        "--by", {"device", "process", "stream", "thread"},
        [this](std::size_t i) { by_ = static_cast<GroupBy>(i + 1); },
        "Split each report; shares are then shares of their part");
    rules_.AddTo(options);
    steps_.AddTo(options);
    window_.AddTo(options);
    options
        .Add("--top", top_,
             "How many rows of each report; 0: all; default: all of the reports that were "
             "asked for, else " +
                 std::to_string(kDefaultTop))
        .Value("N")
        .Group("Output");
    options
        .Choice(
            "--timeunit", {"ns", "us", "ms", "s"},
            [this](std::size_t i) { time_unit_ = static_cast<TimeUnit>(i); },
            "The unit of all times; ns is the default")
        .Group("Output");
    output_.AddTo(options, TableNames());
  }

  ExitCode Run() override {
    if (reports_.empty() && !output_.table.empty()) reports_ = {ReportOfTable(output_.table)};
    std::vector<std::string> names = reports_;
    if (names.empty()) names.assign(kDefaultReports.begin(), kDefaultReports.end());
    std::vector<ReportRequest> requests;
    for (const std::string& name : names) requests.push_back(RequestOf(name));

    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_, steps_));
    const EventSelection events(part.trace);
    TraceIndexes indexes(part.trace, rules_.Rules());
    std::vector<RequestedStats> stats;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      stats.push_back({names[i], RunReport(requests[i], events, by_, indexes)});
    }
    progress.Clear();
    output.Write(
        MakeStatsReport(stats, opened.source, GpuWords(part.trace), part.window, WhatToWrite()));
    return ExitCode::kOk;
  }

 private:
  StatsReportOptions WhatToWrite() const {
    StatsReportOptions options;
    options.time_unit = time_unit_;
    options.shown = reports_.empty() ? kDefaultTop : 0;
    if (top_) options.shown = options.most = *top_;
    return options;
  }

  std::string path_;
  std::vector<std::string> reports_;
  GroupBy by_ = GroupBy::kNothing;
  RuleOptions rules_;
  StepOptions steps_;
  WindowOptions window_;
  std::optional<std::size_t> top_;
  TimeUnit time_unit_ = TimeUnit::kNs;
  OutputOptions output_;
};

}  // namespace

extern const Command kStatsCommand;
const Command kStatsCommand = {
    "stats",
    "Where time goes",
    "NVIDIA's own tables, number for number, and five more",
    "Prints the reports of 'nsys stats' with the same names, columns, order and rounding:\n"
    "  cuda_api_sum cuda_api_trace cuda_api_gpu_sum cuda_gpu_sum cuda_gpu_trace\n"
    "  cuda_gpu_kern_sum cuda_gpu_kern_gb_sum cuda_gpu_mem_time_sum cuda_gpu_mem_size_sum\n"
    "  cuda_kern_exec_sum cuda_kern_exec_trace nvtx_sum nvtx_pushpop_sum nvtx_startend_sum\n"
    "  nvtx_pushpop_trace nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum osrt_sum\n"
    "  mpi_event_sum openacc_sum openmp_sum um_sum um_total_sum\n"
    "and what NVIDIA's tool lacks:\n"
    "  overlap   compute, copies and communication, alone and together, per device\n"
    "  launch    the launch queue over time, and launch latency on idle and busy streams\n"
    "  sync      which calls waited, how long, and for what\n"
    "  memory    allocated device memory over time\n"
    "  metrics   sampled hardware counters\n"
    "Kernels are named in full; ':base' and ':mangled' after a report's name choose other names,\n"
    "':nvtx-name' puts the innermost NVTX range before them. Without -r: kernels, calls, copies\n"
    "and NVTX ranges, the top rows of each.",
    {{{"xsp stats train.sqlite", "kernels, calls, copies and ranges"},
      {"xsp stats train.sqlite -r cuda_gpu_kern_sum:base,overlap --by device",
       "two reports, a part for each device"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<StatsAction>(); }};

}  // namespace xsp
