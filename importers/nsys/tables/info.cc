#include "importers/nsys/tables/info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "importers/nsys/row.h"

namespace xsp {
namespace {

// Calls f(statement) for each row; a table that is not there or not sound has none.
template <class F>
void ForEachRow(const SqliteDb& db, const NsysCatalog& catalog, std::string_view name,
                std::initializer_list<std::string_view> columns, F f) {
  const NsysTable* table = catalog.Find(name);
  if (table == nullptr) return;
  try {
    TableRows rows(db, *table, {columns.begin(), columns.size()});
    while (rows.Next()) f(rows.row());
  } catch (const SqliteError&) {
    // These tables explain a trace, they are not part of it.
  }
}

std::optional<std::string> TextOf(const SqliteStatement& row, int column) {
  const std::string_view bytes = row.Bytes(column);
  if (bytes.empty()) return std::nullopt;
  return ToUtf8(bytes);
}

void ReadExport(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  for (std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    ForEachRow(db, catalog, table, {"name", "value"}, [&](const SqliteStatement& row) {
      if (row.Bytes(1) == "EXPORT_PRODUCT_VERSION") info.tool_version = TextOf(row, 2);
      if (row.Bytes(1) == "EXPORT_SCHEMA_VERSION") info.schema_version = TextOf(row, 2);
    });
  }
  ForEachRow(db, catalog, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
             [&](const SqliteStatement& row) {
               if (!row.IsNull(1)) info.utc_start_ns = row.Int(1);
             });
  ForEachRow(db, catalog, "ANALYSIS_DETAILS", {"duration"}, [&](const SqliteStatement& row) {
    if (!row.IsNull(1)) info.session_ns = std::max(info.session_ns.value_or(0), row.Int(1));
  });
}

// ".../nsight-systems/2021.3.3/target-linux-x64" -> "2021.3.3": older exports say it nowhere else.
std::optional<std::string> VersionInPath(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    const bool is_version = part.starts_with("20") && part.find('.') != std::string_view::npos &&
                            part.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_version) return std::string(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return std::nullopt;
}

// 12080 -> "12.8".
std::optional<std::string> CudaVersion(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 1000) return std::nullopt;
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// nsys' numbers for what it knows of the machine.
enum Environment : std::int64_t {
  kCpuDescription = 13,
  kInstallDir = 170,
  kDriverVersion = 205,
  kOsDescription = 605,
  kCudaDriverVersion = 611,
};

void ReadMachine(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  ForEachRow(db, catalog, "TARGET_INFO_SYSTEM_ENV", {"nameEnum", "value"},
             [&](const SqliteStatement& row) {
               switch (row.Int(1)) {
                 case kCpuDescription:
                   if (row.Bytes(2) != "unknown") info.cpu = TextOf(row, 2);
                   break;
                 case kInstallDir:
                   if (!info.tool_version) info.tool_version = VersionInPath(row.Bytes(2));
                   break;
                 case kDriverVersion:
                   info.driver_version = TextOf(row, 2);
                   break;
                 case kOsDescription:
                   info.os = TextOf(row, 2);
                   break;
                 case kCudaDriverVersion:
                   info.cuda_version = CudaVersion(row.Bytes(2));
                   break;
                 default:
                   break;
               }
             });
}

void ReadCapture(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  ForEachRow(db, catalog, "META_DATA_CAPTURE", {"name", "value"}, [&](const SqliteStatement& row) {
    const std::string_view name = row.Bytes(1);
    if (name.ends_with("CUDA_GRAPH_TRACE_OPTIONS:MODE")) {
      if (row.Bytes(2) == "Graph") info.graph_trace_mode = "graph";
      if (row.Bytes(2) == "Node") info.graph_trace_mode = "node";
    }
    if (name.ends_with("CUDA_SKIP_SOME_API_CALLS") && row.Bytes(2) == "true") {
      info.api_calls_incomplete = true;
    }
  });
}

void ReadDiagnostics(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  constexpr std::int64_t kWarning = 2, kError = 3;
  ForEachRow(
      db, catalog, "DIAGNOSTIC_EVENT", {"timestamp", "severity", "text"},
      [&](const SqliteStatement& row) {
        const std::int64_t severity = row.Int(2);
        if (severity != kWarning && severity != kError) return;
        info.diagnostics.push_back({row.Int(1), severity == kError, TextOf(row, 3).value_or("")});
      });
  std::stable_sort(info.diagnostics.begin(), info.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.time < b.time; });
}

// Tables that this importer reads, as events or to explain them, and those that only spell out
// numbers. Everything else that has rows is "present, not used".
constexpr std::string_view kUsedTables[] = {
    "ANALYSIS_DETAILS",
    "COMPOSITE_EVENTS",
    "CUBLAS_EVENTS",
    "CUDA_CALLCHAINS",
    "CUDA_GPU_MEMORY_POOL_EVENTS",
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    "CUDA_GRAPH_EVENTS",
    "CUDA_GRAPH_NODE_EVENTS",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    "CUDNN_EVENTS",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "DIAGNOSTIC_EVENT",
    "EXPORT_META_DATA",
    "GPU_METRICS",
    "META_DATA_CAPTURE",
    "META_DATA_EXPORT",
    "MPI_COLLECTIVES_EVENTS",
    "MPI_OTHER_EVENTS",
    "MPI_P2P_EVENTS",
    "MPI_RANKS",
    "MPI_START_WAIT_EVENTS",
    "NET_NIC_METRIC",
    "NIC_ID_MAP",
    "NVTX_EVENTS",
    "NVTX_PAYLOAD_ENUMS",
    "NVTX_PAYLOAD_ENUM_ENTRIES",
    "NVTX_PAYLOAD_SCHEMAS",
    "NVTX_PAYLOAD_SCHEMA_ENTRIES",
    "OSRT_API",
    "OSRT_CALLCHAINS",
    "PROCESSES",
    "PROFILER_OVERHEAD",
    "SAMPLING_CALLCHAINS",
    "SCHED_EVENTS",
    "StringIds",
    "TARGET_INFO_CUDA_CONTEXT_INFO",
    "TARGET_INFO_CUDA_DEVICE",
    "TARGET_INFO_CUDA_GPU",
    "TARGET_INFO_CUDA_NULL_STREAM",
    "TARGET_INFO_CUDA_STREAM",
    "TARGET_INFO_GPU",
    "TARGET_INFO_GPU_METRICS",
    "TARGET_INFO_NETWORK_METRICS",
    "TARGET_INFO_NIC_INFO",
    "TARGET_INFO_NVTX_CUDA_STREAM",
    "TARGET_INFO_SESSION_START_TIME",
    "TARGET_INFO_SYSTEM_ENV",
    "ThreadNames",
    "UnwindMethodType",
};

bool IsUsed(std::string_view table) {
  if (table.starts_with("ENUM_") || table.starts_with("OPENMP_EVENT_KIND_") ||
      table.starts_with("CUPTI_ACTIVITY_KIND_OPENACC_")) {
    return true;
  }
  return std::find(std::begin(kUsedTables), std::end(kUsedTables), table) != std::end(kUsedTables);
}

struct Wanted {
  std::string_view what;
  std::string_view flag;
  std::array<std::string_view, 3> tables;  // Any of them with rows will do.
};

constexpr Wanted kWanted[] = {
    {"CUDA calls and GPU work",
     "--trace=cuda",
     {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"}},
    {"NVTX ranges", "--trace=cuda,nvtx", {"NVTX_EVENTS", "", ""}},
    {"operating-system calls", "--trace=cuda,nvtx,osrt", {"OSRT_API", "", ""}},
    {"CPU samples", "--sample=process-tree", {"COMPOSITE_EVENTS", "", ""}},
    {"thread scheduling", "--cpuctxsw=process-tree", {"SCHED_EVENTS", "", ""}},
    {"GPU memory use", "--cuda-memory-usage=true", {"CUDA_GPU_MEMORY_USAGE_EVENTS", "", ""}},
    {"GPU hardware counters",
     "--gpu-metrics-devices=all (before 2024.5: --gpu-metrics-device=all)",
     {"GPU_METRICS", "", ""}},
    {"call chains of CUDA calls", "--cudabacktrace=all", {"CUDA_CALLCHAINS", "", ""}},
};

}  // namespace

void ReadInfo(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  ReadExport(db, catalog, info);
  ReadMachine(db, catalog, info);
  ReadCapture(db, catalog, info);
  ReadDiagnostics(db, catalog, info);
}

void FindMissing(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info) {
  auto has_rows = [&](std::string_view name) {
    const NsysTable* table = catalog.Find(name);
    return table != nullptr && HasRows(db, *table);
  };
  for (const Wanted& wanted : kWanted) {
    if (std::none_of(wanted.tables.begin(), wanted.tables.end(), has_rows)) {
      info.missing.push_back({std::string(wanted.what), std::string(wanted.flag)});
    }
  }
  if (has_rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) {
    info.missing.push_back({"kernels inside CUDA graphs", "--cuda-graph-trace=node"});
  }
  for (const auto& [name, table] : catalog.tables()) {
    if (!IsUsed(name) && HasRows(db, table)) info.unused_tables.push_back(ToUtf8(name));
  }
}

}  // namespace xsp
