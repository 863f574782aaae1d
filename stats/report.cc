#include "stats/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "model/recorder.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

constexpr std::array kKernelKinds = {EventKind::kKernel};
constexpr std::array kMemoryOperationKinds = {EventKind::kMemcpy, EventKind::kMigration,
                                              EventKind::kMemset};
constexpr std::array kGpuKinds = {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration,
                                  EventKind::kMemset};
constexpr std::array kApiKinds = {EventKind::kApi, EventKind::kApiBacktrace};
constexpr std::array kWaitKinds = {EventKind::kSync, EventKind::kApi};
constexpr std::array kRangeKinds = {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd};
constexpr std::array kPushPopKinds = {EventKind::kNvtxPushPop};
constexpr std::array kStartEndKinds = {EventKind::kNvtxStartEnd};
constexpr std::array kOsrtKinds = {EventKind::kOsrt};
constexpr std::array kMpiKinds = {EventKind::kMpi};
constexpr std::array kDirectiveKinds = {EventKind::kDirective};
constexpr std::array kUnifiedKinds = {EventKind::kMigration, EventKind::kPageFault};
constexpr std::array kAllocationKinds = {EventKind::kMemory};
constexpr std::array kMetricKinds = {EventKind::kGpuMetric};

constexpr NeededData kKernels = {kKernelKinds, "kernels", "--trace=cuda"};
constexpr NeededData kCalls = {kApiKinds, "CUDA calls", "--trace=cuda"};
constexpr NeededData kRanges = {kRangeKinds, "NVTX ranges", "--trace=nvtx"};

constexpr std::array kNeedsKernels = {kKernels};
constexpr std::array kNeedsMemoryOperations = {
    NeededData{kMemoryOperationKinds, "copies or memsets", "--trace=cuda"}};
constexpr std::array kNeedsGpu = {NeededData{kGpuKinds, "GPU operations", "--trace=cuda"}};
constexpr std::array kNeedsCalls = {kCalls};
constexpr std::array kNeedsLaunches = {kKernels, kCalls};
constexpr std::array kNeedsWaits = {NeededData{kWaitKinds, "CUDA calls", "--trace=cuda"}};
constexpr std::array kNeedsRanges = {kRanges};
constexpr std::array kNeedsPushPops = {
    NeededData{kPushPopKinds, "NVTX push/pop ranges", "--trace=nvtx"}};
constexpr std::array kNeedsStartEnds = {
    NeededData{kStartEndKinds, "NVTX start/end ranges", "--trace=nvtx"}};
constexpr std::array kNeedsProjection = {
    kRanges, NeededData{kGpuKinds, "GPU operations", "--trace=cuda,nvtx"}, kCalls};
constexpr std::array kNeedsOsrt = {NeededData{kOsrtKinds, "OS runtime calls", "--trace=osrt"}};
constexpr std::array kNeedsMpi = {NeededData{kMpiKinds, "MPI calls", "--trace=mpi"}};
constexpr std::array kNeedsOpenMp = {
    NeededData{kDirectiveKinds, "OpenMP events", "--trace=openmp"}};
constexpr std::array kNeedsOpenAcc = {
    NeededData{kDirectiveKinds, "OpenACC events", "--trace=openacc"}};
constexpr std::array kNeedsUnified = {
    NeededData{kUnifiedKinds, "unified-memory migrations or page faults",
               "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true"}};
constexpr std::array kNeedsAllocations = {
    NeededData{kAllocationKinds, "memory allocations", "--cuda-memory-usage=true"}};
constexpr std::array kNeedsMetrics = {
    NeededData{kMetricKinds, "sampled counters", "--gpu-metrics-devices=all"}};

template <StatsTable (*... F)(const ReportInput&)>
constexpr std::array<StatsTable (*)(const ReportInput&), sizeof...(F)> kTables = {F...};

// Names, NVTX names, rows: what a report takes.
constexpr std::array kReports = {
    StatsReport{"cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)", true, true, false,
                kTables<CudaApiGpuSum>, kNeedsCalls},
    StatsReport{"cuda_api_sum", "CUDA API Summary", false, false, false, kTables<CudaApiSum>,
                kNeedsCalls},
    StatsReport{"cuda_api_trace", "CUDA API Trace", false, false, false, kTables<CudaApiTrace>,
                kNeedsCalls},
    StatsReport{"cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary", true, true, false,
                kTables<CudaGpuKernGbSum>, kNeedsKernels},
    StatsReport{"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", true, true, false,
                kTables<CudaGpuKernSum>, kNeedsKernels},
    StatsReport{"cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", false, false, false,
                kTables<CudaGpuMemSizeSum>, kNeedsMemoryOperations},
    StatsReport{"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", false, false, false,
                kTables<CudaGpuMemTimeSum>, kNeedsMemoryOperations},
    StatsReport{"cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)", true, true, false,
                kTables<CudaGpuSum>, kNeedsGpu},
    StatsReport{"cuda_gpu_trace", "CUDA GPU Trace", true, true, false, kTables<CudaGpuTrace>,
                kNeedsGpu},
    StatsReport{"cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary", true, true, false,
                kTables<CudaKernExecSum>, kNeedsLaunches},
    StatsReport{"cuda_kern_exec_trace", "CUDA Kernel Launch & Exec Time Trace", true, true, false,
                kTables<CudaKernExecTrace>, kNeedsLaunches},
    StatsReport{"mpi_event_sum", "MPI Event Summary", false, false, false, kTables<MpiEventSum>,
                kNeedsMpi},
    StatsReport{"nvtx_gpu_proj_sum", "NVTX GPU Projection Summary", false, false, false,
                kTables<NvtxGpuProjSum>, kNeedsProjection},
    StatsReport{"nvtx_gpu_proj_trace", "NVTX GPU Projection Trace", false, false, false,
                kTables<NvtxGpuProjTrace>, kNeedsProjection},
    StatsReport{"nvtx_kern_sum", "NVTX Range Kernel Summary", true, false, false,
                kTables<NvtxKernSum>, kNeedsLaunches},
    StatsReport{"nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", false, false, false,
                kTables<NvtxPushPopSum>, kNeedsPushPops},
    StatsReport{"nvtx_pushpop_trace", "NVTX Push/Pop Range Trace", false, false, false,
                kTables<NvtxPushPopTrace>, kNeedsPushPops},
    StatsReport{"nvtx_startend_sum", "NVTX Start/End Range Summary", false, false, false,
                kTables<NvtxStartEndSum>, kNeedsStartEnds},
    StatsReport{"nvtx_sum", "NVTX Range Summary", false, false, false, kTables<NvtxSum>,
                kNeedsRanges},
    StatsReport{"openacc_sum", "OpenACC Summary", false, false, false, kTables<OpenAccSum>,
                kNeedsOpenAcc},
    StatsReport{"openmp_sum", "OpenMP Summary", false, false, false, kTables<OpenMpSum>,
                kNeedsOpenMp},
    StatsReport{"osrt_sum", "OS Runtime Summary", false, false, false, kTables<OsrtSum>,
                kNeedsOsrt},
    StatsReport{"um_sum", "Unified Memory Analysis Summary", false, false, true, kTables<UmSum>,
                kNeedsUnified},
    StatsReport{"um_total_sum", "Unified Memory Totals Summary", false, false, false,
                kTables<UmTotalSum>, kNeedsUnified},
    StatsReport{"launch", "Launch queue and launch latency", false, false, false,
                kTables<LaunchDepth, LaunchDepthOverTime, LaunchLatency>, kNeedsLaunches},
    StatsReport{"memory", "Allocated device memory", false, false, false,
                kTables<MemoryUsage, MemoryOverTime>, kNeedsAllocations},
    StatsReport{"metrics", "Sampled hardware counters", false, false, false, kTables<MetricSum>,
                kNeedsMetrics},
    StatsReport{"sync", "Waits of the host", false, false, false, kTables<SyncSum>, kNeedsWaits},
};

std::string OptionsOf(const StatsReport& report) {
  std::string options;
  if (report.takes_nvtx_name) options += " :nvtx-name";
  if (report.takes_names) options += " :base :mangled";
  if (report.takes_rows) options += " :rows=N";
  return options.empty() ? " none" : options;
}

bool SetOption(const StatsReport& report, std::string_view option, ReportOptions& options) {
  constexpr std::string_view kRows = "rows=";
  if (option == "base" && report.takes_names) {
    options.names = KernelNames::kBase;
  } else if (option == "mangled" && report.takes_names) {
    options.names = KernelNames::kMangled;
  } else if (option == "nvtx-name" && report.takes_nvtx_name) {
    options.nvtx_name = true;
  } else if (report.takes_rows && option.substr(0, kRows.size()) == kRows) {
    const std::string_view number = option.substr(kRows.size());
    const char* end = number.data() + number.size();
    const auto [stopped, error] = std::from_chars(number.data(), end, options.rows);
    return error == std::errc() && stopped == end;
  } else {
    return false;
  }
  return true;
}

bool HasAny(const Trace& trace, std::span<const EventKind> kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](EventKind kind) {
    const EventSpan span = trace.OfKind(kind);
    return span.first != span.last;
  });
}

// Why a table has no rows.
std::string WhyEmpty(const Trace& trace, const StatsReport& report) {
  for (const NeededData& need : report.needs) {
    if (HasAny(trace, need.kinds)) continue;
    const bool only_graphs = need.kinds.front() == EventKind::kKernel &&
                             HasAny(trace, std::array{EventKind::kGraphSpan});
    if (only_graphs) {
      return "no kernels in this trace: CUDA graphs were traced as a whole; record with "
             "--cuda-graph-trace=node";
    }
    return "no " + std::string(need.what) + " in this trace; record with " +
           ToRecord(trace.info().format, need.flag);
  }
  return "nothing in this part of the trace";
}

StatsTable WithGroupColumn(const StatsTable& table, GroupBy by) {
  std::string name(ColumnNameOf(by));
  for (const StatsColumn& column : table.columns()) {
    if (column.name == name) name = "By " + name;  // Two columns of one name would be one in JSON.
  }
  std::vector<StatsColumn> columns = {{std::move(name), StatsKind::kText}};
  columns.insert(columns.end(), table.columns().begin(), table.columns().end());
  return StatsTable(table.name(), table.title(), std::move(columns));
}

StatsTable RunSplit(const ReportRequest& request, StatsTable (*make)(const ReportInput&),
                    std::vector<EventGroup>& groups, GroupBy by, TraceIndexes& indexes) {
  std::optional<StatsTable> all;
  for (EventGroup& group : groups) {
    CheckInterrupt();
    const Trace& trace = group.events.trace();
    StatsTable part = make({trace, group.events, request.options, indexes});
    if (!all) all = WithGroupColumn(part, by);
    all->AppendGroup(group.label, std::move(part));
  }
  return std::move(*all);  // There is always the group of what belongs nowhere.
}

}  // namespace

std::span<const StatsReport> AllStatsReports() { return kReports; }

const StatsReport* FindStatsReport(std::string_view name, std::span<const StatsReport> among) {
  const auto it = std::find_if(among.begin(), among.end(),
                               [&](const StatsReport& report) { return report.name == name; });
  return it == among.end() ? nullptr : &*it;
}

ReportRequest ParseReportRequest(std::string_view text, std::span<const StatsReport> among) {
  const std::string_view name = text.substr(0, text.find(':'));
  ReportRequest request{FindStatsReport(name, among), {}};
  if (request.report == nullptr) throw Error("no report is called '" + std::string(name) + "'");
  std::string_view rest = text.substr(name.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view option = rest.substr(0, rest.find(':'));
    if (!SetOption(*request.report, option, request.options)) {
      throw Error("report " + std::string(name) + " takes no ':" + std::string(option) + "'",
                  "its options:" + OptionsOf(*request.report));
    }
    rest.remove_prefix(option.size());
  }
  return request;
}

std::vector<StatsTable> RunReport(const ReportRequest& request, const EventSelection& events,
                                  GroupBy by, TraceIndexes& indexes) {
  std::vector<StatsTable> tables;
  std::vector<EventGroup> groups;
  if (by != GroupBy::kNothing) groups = Split(events, by);
  for (const auto make : request.report->tables) {
    CheckInterrupt();
    tables.push_back(by == GroupBy::kNothing
                         ? make({events.trace(), events, request.options, indexes})
                         : RunSplit(request, make, groups, by, indexes));
  }
  const bool empty = std::all_of(tables.begin(), tables.end(),
                                 [](const StatsTable& table) { return table.rows() == 0; });
  if (empty) tables.front().set_note(WhyEmpty(events.trace(), *request.report));
  return tables;
}

}  // namespace xsp
