#include "sample_traces/nsys_schema.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace xsp::samples {
namespace {

// A table: its columns in order, each "name:type[+since][-until][>reference]".
// Types: i integer, t text, r real; capital letters are NOT NULL; k and p are primary keys, p
// is declared NOT NULL.
// `since` and `until` (exclusive) are schema versions without the micro part. References were
// written into the declaration only before schema 3.0.
struct TableSpec {
  std::string_view name;
  std::string_view columns;
};

constexpr TableSpec kTables[] = {
    {"StringIds", "id:p value:T"},
    {"ThreadNames", "nameId:I>StringIds(id) priority:i globalTid:i"},
    {"PROCESSES", "globalPid:i pid:i name:t"},
    {"ProcessStreams", "globalPid:I filenameId:I>StringIds(id) contentId:I>StringIds(id)"},
    {"EXPORT_META_DATA", "name:T-3.4 value:t-3.4"},
    {"META_DATA_EXPORT", "name:T+3.4 value:t+3.4"},
    {"META_DATA_CAPTURE", "name:T+3.4 value:t+3.4"},
    {"ANALYSIS_DETAILS", "globalVid:I duration:I startTime:I stopTime:I"},
    {"DIAGNOSTIC_EVENT",
     "timestamp:I+3.11 timestampType:I+3.11 source:I+3.11 severity:I+3.11 text:T+3.11 "
     "globalPid:i+3.11"},
    {"UnwindMethodType", "number:k-3.2 name:T-3.2"},
    {"TARGET_INFO_SESSION_START_TIME", "utcEpochNs:i utcTime:t localTime:t systemClockNs:i+3.24"},
    {"TARGET_INFO_SYSTEM_ENV",
     "globalVid:I-3.1 globalVid:i+3.1 devStateName:T name:T nameEnum:I value:T"},
    {"TARGET_INFO_GPU",
     "vmId:I id:I name:t busLocation:t isDiscrete:i l2CacheSize:i totalMemory:i "
     "memoryBandwidth:i clockRate:i smCount:i pwGpuId:i uuid:t luid:i chipName:t cuDevice:i "
     "ctxswDevPath:t ctrlDevPath:t revision:i nodeMask:i constantMemory:i maxIPC:i "
     "maxRegistersPerBlock:i maxShmemPerBlock:i maxShmemPerBlockOptin:i maxShmemPerSm:i "
     "maxRegistersPerSm:i threadsPerWarp:i asyncEngines:i maxWarpsPerSm:i maxBlocksPerSm:i "
     "maxThreadsPerBlock:i maxBlockDimX:i maxBlockDimY:i maxBlockDimZ:i maxGridDimX:i "
     "maxGridDimY:i maxGridDimZ:i computeMajor:i computeMinor:i smMajor:i smMinor:i"},
    {"TARGET_INFO_CUDA_DEVICE",
     "gpuId:i+3.17 cudaId:I+3.17 pid:I+3.17 uuid:t+3.24 numMultiprocessors:i+3.24"},
    {"TARGET_INFO_CUDA_NULL_STREAM",
     "streamId:I-3.6 hwId:I-3.6 vmId:I-3.6 processId:I-3.6 deviceId:I-3.6 contextId:I-3.6"},
    {"TARGET_INFO_CUDA_CONTEXT_INFO",
     "nullStreamId:I+3.6 hwId:I+3.6 vmId:I+3.6 processId:I+3.6 deviceId:I+3.6 contextId:I+3.6 "
     "parentContextId:i+3.6 isGreenContext:i+3.6 numMultiprocessors:i+3.24 numTpcs:i+3.25 "
     "tpcMask:t+3.25 workqueueResourceId:i+3.25 workqueueConcurrencyLimit:i+3.25 "
     "workqueueSharingScope:i+3.25"},
    {"TARGET_INFO_CUDA_STREAM",
     "streamId:I hwId:I vmId:I processId:I contextId:I priority:I flag:I"},
    {"PROFILER_OVERHEAD",
     "start:I end:I globalTid:i nameId:I>StringIds(id) returnValue:I-3.24 overheadType:I+3.24"},
    {"MPI_P2P_EVENTS",
     "start:I+3.7 end:i+3.7 globalTid:i+3.7 textId:i+3.7 commHandle:i+3.7 tag:i+3.7 "
     "remoteRank:i+3.7 size:i+3.7 requestHandle:i+3.7"},
    {"MPI_COLLECTIVES_EVENTS",
     "start:I+3.7 end:i+3.7 globalTid:i+3.7 textId:i+3.7 commHandle:i+3.7 rootRank:i+3.7 "
     "size:i+3.7 recvSize:i+3.7 requestHandle:i+3.7"},
    {"MPI_RANKS", "globalTid:i+3.7 rank:i+3.7"},
    {"MPI_START_WAIT_EVENTS",
     "start:I+3.7 end:i+3.7 globalTid:i+3.7 textId:i+3.7 requestHandle:i+3.7"},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD",
     "start:I+3.24 end:I+3.24 eventClass:I+3.24 globalTid:i+3.24 correlationId:i+3.24 "
     "nameId:i+3.24 overheadType:I+3.24"},
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     "start:I end:I eventClass:I globalTid:i correlationId:i nameId:I>StringIds(id) "
     "returnValue:I callchainId:i>CUDA_CALLCHAINS(id)"},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start:I end:I deviceId:I contextId:I greenContextId:i+3.6 streamId:I "
     "correlationId:i>CUPTI_ACTIVITY_KIND_RUNTIME(correlationId) globalPid:i demangledName:I "
     "shortName:I mangledName:i launchType:i cacheConfig:i registersPerThread:I gridX:I gridY:I "
     "gridZ:I blockX:I blockY:I blockZ:I staticSharedMemory:I dynamicSharedMemory:I "
     "localMemoryPerThread:I localMemoryTotal:I gridId:I sharedMemoryExecuted:i "
     "graphNodeId:i>CUDA_GRAPH_EVENTS(graphNodeId) sharedMemoryLimitConfig:i "
     "qmdBulkReleaseDone:i+3.23 qmdPreexitDone:i+3.23 qmdLastCtaDone:i+3.23 graphId:i+3.23 "
     "clusterX:i+3.23 clusterY:i+3.23 clusterZ:i+3.23 clusterSchedulingPolicy:i+3.23 "
     "maxPotentialClusterSize:i+3.23 maxActiveClusters:i+3.23 "
     "sharedMemoryRequestedPercentage:i+3.25 tensorSizeMinusOneElements:T+3.25"},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start:I end:I deviceId:I contextId:I greenContextId:i+3.6 streamId:I "
     "correlationId:i>CUPTI_ACTIVITY_KIND_RUNTIME(correlationId) globalPid:i bytes:I copyKind:I "
     "deprecatedSrcId:i srcKind:i dstKind:i srcDeviceId:i srcContextId:i dstDeviceId:i "
     "dstContextId:i migrationCause:i graphNodeId:i>CUDA_GRAPH_EVENTS(graphNodeId) "
     "virtualAddress:i copyCount:i+3.17"},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start:I end:I deviceId:I contextId:I greenContextId:i+3.13 streamId:I "
     "correlationId:i>CUPTI_ACTIVITY_KIND_RUNTIME(correlationId) globalPid:i value:I bytes:I "
     "graphNodeId:i>CUDA_GRAPH_EVENTS(graphNodeId) memKind:i"},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "start:I end:I deviceId:I contextId:I greenContextId:i+3.6 streamId:I correlationId:i "
     "globalPid:i deprecatedSyncType:i+3.17 syncType:I eventId:I eventSyncId:i+3.17"},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
     "timestamp:i+3.23 deviceId:I contextId:I greenContextId:i+3.13 streamId:I correlationId:i "
     "globalPid:i eventId:I eventSyncId:i+3.17"},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     "start:I end:I deviceId:I contextId:I greenContextId:i+3.6 streamId:I correlationId:i "
     "globalPid:i graphId:I graphExecId:I"},
    {"CUDA_GRAPH_EVENTS",
     "start:I end:I eventClass:I globalTid:i nameId:I>StringIds(id) "
     "graphNodeId:I-3.0>CUDA_GRAPH_EVENTS(graphNodeId) originalGraphNodeId:i-3.0 graphId:i+3.0 "
     "originalGraphId:i+3.0 graphExecId:i+3.0"},
    {"CUDA_GRAPH_NODE_EVENTS",
     "start:I+3.0 end:I+3.0 eventClass:I+3.0 globalTid:i+3.0 nameId:I+3.0 graphNodeId:I+3.0 "
     "originalGraphNodeId:i+3.0"},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     "start:I globalPid:I deviceId:I contextId:I address:I pc:I bytes:I memKind:I "
     "memoryOperationType:I name:t correlationId:i streamId:i+3.7 "
     "localMemoryPoolAddress:i+3.7 localMemoryPoolReleaseThreshold:i+3.7 "
     "localMemoryPoolSize:i+3.7 localMemoryPoolUtilizedSize:i+3.7 "
     "importedMemoryPoolAddress:i+3.7 importedMemoryPoolProcessId:i+3.7"},
    {"NVTX_EVENTS",
     "start:I end:i eventType:I rangeId:i category:i color:i text:t globalTid:i endGlobalTid:i "
     "textId:i>StringIds(id) domainId:i uint64Value:i int64Value:i doubleValue:r uint32Value:i "
     "int32Value:i floatValue:r jsonTextId:i jsonText:t binaryData:t+3.16"},
    {"NVTX_PAYLOAD_SCHEMAS",
     "domainId:i+3.25 schemaId:i+3.25 name:t+3.25 type:i+3.25 flags:i+3.25 numEntries:i+3.25 "
     "payloadSize:i+3.25 alignTo:i+3.25"},
    {"NVTX_PAYLOAD_SCHEMA_ENTRIES",
     "domainId:I+3.25 schemaId:I+3.25 idx:I+3.25 flags:i+3.25 type:i+3.25 name:t+3.25 "
     "description:t+3.25 arrayOrUnionDetail:i+3.25 offset:i+3.25"},
    {"OSRT_API",
     "start:I end:I eventClass:I globalTid:i nameId:I>StringIds(id) returnValue:I "
     "nestingLevel:i callchainId:I>OSRT_CALLCHAINS(id) argumentsId:i+3.23"},
    {"SCHED_EVENTS", "start:I cpu:I isSchedIn:I globalTid:i threadState:i+3.13 threadBlock:i+3.13"},
};

std::string_view TypeWords(char type) {
  switch (type) {
    case 'i':
      return "INTEGER";
    case 'I':
      return "INTEGER NOT NULL";
    case 't':
      return "TEXT";
    case 'T':
      return "TEXT NOT NULL";
    case 'r':
      return "REAL";
    case 'k':
      return "INTEGER PRIMARY KEY";
    default:
      return "INTEGER NOT NULL PRIMARY KEY";
  }
}

// "3.17" or "3.17.2" as a number.
int32_t VersionNumber(std::string_view text) {
  int32_t parts[3] = {0, 0, 0};
  size_t part = 0;
  for (char c : text) {
    if (c == '.') {
      ++part;
    } else {
      parts[part] = parts[part] * 10 + (c - '0');
    }
  }
  return parts[0] * 1'000'000 + parts[1] * 1'000 + parts[2];
}

// The part of `spec` that follows `mark`, up to the next mark; empty when there is none.
std::string_view After(std::string_view spec, char mark) {
  const size_t at = spec.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = spec.substr(at + 1);
  return mark == '>' ? rest : rest.substr(0, rest.find_first_of("+->"));
}

void AddColumn(std::string_view spec, const SchemaVersion& schema, std::vector<Column>& columns) {
  const std::string_view since = After(spec, '+');
  const std::string_view until = After(spec, '-');
  if (!since.empty() && schema.number < VersionNumber(since)) return;
  if (!until.empty() && schema.number >= VersionNumber(until)) return;
  const size_t colon = spec.find(':');
  Column column{std::string(spec.substr(0, colon)), std::string(TypeWords(spec[colon + 1]))};
  const std::string_view reference = After(spec, '>');
  if (!reference.empty() && schema.number < VersionNumber("3.0")) {
    column.declaration += " REFERENCES " + std::string(reference);
  }
  columns.push_back(std::move(column));
}

}  // namespace

const std::vector<SchemaVersion>& SchemaVersions() {
  static const std::vector<SchemaVersion> versions = {
      {2'009'001, "2.9.1", "2022.1.3.3", "old"},
      {3'007'002, "3.7.2", "2023.4.4.54", ""},
      {3'013'002, "3.13.2", "2024.5.1.113", "middle"},
      {3'025'000, "3.25.0", "2026.2.1.210", "newest"},
  };
  return versions;
}

const SchemaVersion& FindSchema(std::string_view name) {
  std::string known;
  for (const SchemaVersion& version : SchemaVersions()) {
    if (name == version.text || (!version.alias.empty() && name == version.alias)) return version;
    known += (known.empty() ? "" : ", ") + std::string(version.text);
    if (!version.alias.empty()) known += " (" + std::string(version.alias) + ")";
  }
  throw std::runtime_error("unknown schema '" + std::string(name) + "'; there are " + known);
}

std::vector<Column> TableColumns(std::string_view table, const SchemaVersion& schema) {
  std::vector<Column> columns;
  for (const TableSpec& spec : kTables) {
    if (spec.name != table) continue;
    for (size_t at = 0; at < spec.columns.size();) {
      const size_t end = std::min(spec.columns.find(' ', at), spec.columns.size());
      AddColumn(spec.columns.substr(at, end - at), schema, columns);
      at = end + 1;
    }
    return columns;
  }
  throw std::logic_error("no such table: " + std::string(table));
}

}  // namespace xsp::samples
