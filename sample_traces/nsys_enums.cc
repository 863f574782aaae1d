// The ENUM_ tables: labels that exports carry for the numbers in their columns.
#include "sample_traces/nsys_schema.h"

namespace xsp::samples {
namespace {

// Values as "id|name|label", one per line. `until` is the first schema that leaves the table out
// when nothing refers to it.
struct EnumSpec {
  std::string_view name;
  int32_t since;
  int32_t until;
  std::string_view values;
};

constexpr int32_t kFirst = 3'000'000;
constexpr int32_t kLazy = 3'020'000;
constexpr int32_t kForever = 9'000'000;

constexpr EnumSpec kEnums[] = {
    {"ENUM_NSYS_EVENT_TYPE", kFirst, kForever,
     "33|NvtxCategory|NvtxCategory\n34|NvtxMark|NvtxMark\n39|NvtxThread|NvtxThread\n"
     "59|NvtxPushPopRange|NvtxPushPopRange\n60|NvtxStartEndRange|NvtxStartEndRange\n"
     "75|NvtxDomainCreate|NvtxDomainCreate\n76|NvtxDomainDestroy|NvtxDomainDestroy"},
    {"ENUM_NSYS_EVENT_CLASS", kFirst, kForever,
     "0|TRACE_PROCESS_EVENT_CUDA_RUNTIME|CUDA runtime\n"
     "1|TRACE_PROCESS_EVENT_CUDA_DRIVER|CUDA driver\n"
     "27|TRACE_PROCESS_EVENT_OS_RUNTIME|OSRT runtime\n"
     "67|TRACE_PROCESS_EVENT_CUDA_BACKTRACE|CUDA backtrace\n"
     "77|TRACE_PROCESS_EVENT_CUDA_GRAPH_NODE_CREATION|CUDA graph node creation\n"
     "94|TRACE_PROCESS_EVENT_CUDA_GRAPH_EXEC_CREATION|CUDA graph exec creation\n"
     "95|TRACE_PROCESS_EVENT_CUDA_GRAPH_CREATION|CUDA graph creation\n"
     "103|TRACE_PROCESS_EVENT_CUDA_OVERHEAD|CUDA overhead"},
    {"ENUM_CUDA_MEMCPY_OPER", kFirst, kForever,
     "0|CUDA_MEMCPY_KIND_UNKNOWN|Unknown\n1|CUDA_MEMCPY_KIND_HTOD|Host-to-Device\n"
     "2|CUDA_MEMCPY_KIND_DTOH|Device-to-Host\n3|CUDA_MEMCPY_KIND_HTOA|Host-to-Array\n"
     "4|CUDA_MEMCPY_KIND_ATOH|Array-to-Host\n5|CUDA_MEMCPY_KIND_ATOA|Array-to-Array\n"
     "6|CUDA_MEMCPY_KIND_ATOD|Array-to-Device\n7|CUDA_MEMCPY_KIND_DTOA|Device-to-Array\n"
     "8|CUDA_MEMCPY_KIND_DTOD|Device-to-Device\n9|CUDA_MEMCPY_KIND_HTOH|Host-to-Host\n"
     "10|CUDA_MEMCPY_KIND_PTOP|Peer-to-Peer\n"
     "11|CUDA_MEMCPY_KIND_UVM_HTOD|Unified Host-to-Device\n"
     "12|CUDA_MEMCPY_KIND_UVM_DTOH|Unified Device-to-Host\n"
     "13|CUDA_MEMCPY_KIND_UVM_DTOD|Unified Device-to-Device"},
    {"ENUM_CUDA_MEM_KIND", kFirst, kForever,
     "0|CUDA_MEMOPR_MEMORY_KIND_PAGEABLE|Pageable\n1|CUDA_MEMOPR_MEMORY_KIND_PINNED|Pinned\n"
     "2|CUDA_MEMOPR_MEMORY_KIND_DEVICE|Device\n3|CUDA_MEMOPR_MEMORY_KIND_ARRAY|Array\n"
     "4|CUDA_MEMOPR_MEMORY_KIND_MANAGED|Managed\n"
     "5|CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC|Device Static\n"
     "6|CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC|Managed Static\n"
     "7|CUDA_MEMOPR_MEMORY_KIND_UNKNOWN|Unknown"},
    {"ENUM_CUDA_DEV_MEM_EVENT_OPER", kFirst, kForever,
     "0|CUDA_DEV_MEM_EVENT_OPR_ALLOCATION|Allocation\n"
     "1|CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION|Deallocation"},
    {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", kFirst, kForever,
     "0|CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN|Unknown\n1|CUDA_KERNEL_LAUNCH_TYPE_REGULAR|Regular\n"
     "2|CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE|Coop Single Device\n"
     "3|CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE|Coop Multi Device"},
    {"ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG", kFirst, kForever,
     "0|CUDA_SHARED_MEM_LIMIT_DEFAULT|Default\n1|CUDA_SHARED_MEM_LIMIT_OPTIN|Opt in"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", kFirst, kForever,
     "0|CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_UNKNOWN|Unknown\n"
     "1|CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_USER|User prefetch\n"
     "2|CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE|Page fault\n"
     "4|CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION|Eviction"},
    {"ENUM_CUDA_FUNC_CACHE_CONFIG", kFirst, kForever,
     "0|CU_FUNC_CACHE_PREFER_NONE|None\n1|CU_FUNC_CACHE_PREFER_SHARED|Shared\n"
     "2|CU_FUNC_CACHE_PREFER_L1|L1\n3|CU_FUNC_CACHE_PREFER_EQUAL|Equal"},
    {"ENUM_CUPTI_STREAM_TYPE", 3'001'000, kForever,
     "0|CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN|Unknown stream type\n"
     "1|CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT|Default stream\n"
     "2|CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING|Non-blocking stream\n"
     "3|CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL|Null stream"},
    {"ENUM_CUPTI_SYNC_TYPE", kFirst, kForever,
     "0|CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN|Unknown\n"
     "1|CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE|Event sync\n"
     "2|CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT|Stream wait sync\n"
     "3|CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE|Stream sync\n"
     "4|CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE|Context sync"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 3'024'000, kForever,
     "0|OVERHEAD_UNDEFINED|Undefined\n1|OVERHEAD_UNKNOWN|Unknown\n"
     "2|OVERHEAD_DRIVER_COMPILER|Driver JIT compiler (CUDA)\n"
     "3|OVERHEAD_CUPTI_BUFFER_FLUSH|Buffer flush (Profiler)\n"
     "4|OVERHEAD_CUPTI_INSTRUMENTATION|Instrumentation (Profiler)\n"
     "5|OVERHEAD_CUPTI_RESOURCE|Resource creation/destruction (Profiler)\n"
     "6|OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING|Runtime module loading (CUDA)\n"
     "7|OVERHEAD_LAZY_FUNCTION_LOADING|Lazy function loading (CUDA)\n"
     "8|OVERHEAD_COMMAND_BUFFER_FULL|Command buffer full (CUDA)"},
    {"ENUM_DIAGNOSTIC_SEVERITY_LEVEL", 3'011'000, kForever,
     "0|UnknownLevel|Unknown\n1|Info|Info\n2|Warning|Warning\n3|Error|Error\n4|Verbose|Verbose"},
    {"ENUM_DIAGNOSTIC_SOURCE_TYPE", 3'011'000, kForever,
     "0|UnknownSource|Unknown source\n1|Injection|Injection\n2|Daemon|Daemon\n"
     "3|Analysis|Analysis"},
    {"ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE", 3'011'000, kForever,
     "0|UnknownTimestamp|Unknown timestamp\n1|TargetTimestamp|Target timestamp\n"
     "2|HostTimestamp|Host timestamp"},
    {"ENUM_CUDA_MEMPOOL_OPER", kFirst, kLazy,
     "0|CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_INVALID|Invalid\n"
     "1|CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED|Created\n"
     "2|CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED|Destroyed\n"
     "3|CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED|Trimmed"},
    {"ENUM_CUDA_MEMPOOL_TYPE", kFirst, kLazy,
     "0|CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID|Invalid\n"
     "1|CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL|Local\n"
     "2|CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED|Imported"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", kFirst, kLazy,
     "0|CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN|Unknown\n"
     "1|CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_READ|Read\n"
     "2|CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE|Write\n"
     "3|CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_ATOMIC|Atomic\n"
     "4|CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_PREFETCH|Prefetch"},
};

EnumValue ParseValue(std::string_view line) {
  const size_t first = line.find('|');
  const size_t second = line.find('|', first + 1);
  return {std::stoll(std::string(line.substr(0, first))),
          std::string(line.substr(first + 1, second - first - 1)),
          std::string(line.substr(second + 1))};
}

}  // namespace

std::vector<EnumTable> EnumTables(const SchemaVersion& schema) {
  std::vector<EnumTable> tables;
  for (const EnumSpec& spec : kEnums) {
    if (schema.number < spec.since || schema.number >= spec.until) continue;
    EnumTable& table = tables.emplace_back();
    table.name = spec.name;
    for (std::string_view rest = spec.values; !rest.empty();) {
      const size_t end = rest.find('\n');
      table.values.push_back(ParseValue(rest.substr(0, end)));
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
  }
  return tables;
}

}  // namespace xsp::samples
