// The event tables of an export with the columns that the writer fills. Private to the writer.
#pragma once

#include "sample_traces/nsys_writer.h"

namespace xsp::samples {

struct NsysWriter::Tables {
  OutputFile& file;
  const SchemaVersion& schema;

  Table strings{file, schema, "StringIds", {"id", "value"}};
  Table calls{
      file,
      schema,
      "CUPTI_ACTIVITY_KIND_RUNTIME",
      {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}};
  Table kernels{file,
                schema,
                "CUPTI_ACTIVITY_KIND_KERNEL",
                {"start",
                 "end",
                 "deviceId",
                 "contextId",
                 "streamId",
                 "correlationId",
                 "globalPid",
                 "demangledName",
                 "shortName",
                 "mangledName",
                 "registersPerThread",
                 "gridX",
                 "gridY",
                 "gridZ",
                 "blockX",
                 "blockY",
                 "blockZ",
                 "staticSharedMemory",
                 "dynamicSharedMemory",
                 "gridId",
                 "sharedMemoryExecuted",
                 "graphNodeId",
                 "graphId"}};
  Table copies{file,
               schema,
               "CUPTI_ACTIVITY_KIND_MEMCPY",
               {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                "bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "srcContextId",
                "dstDeviceId", "dstContextId", "graphNodeId"}};
  Table memsets{file,
                schema,
                "CUPTI_ACTIVITY_KIND_MEMSET",
                {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                 "bytes", "graphNodeId"}};
  Table syncs{file,
              schema,
              "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
              {"start", "end", "contextId", "streamId", "correlationId", "globalPid", "syncType",
               "eventId", "eventSyncId"}};
  Table events{file,
               schema,
               "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
               {"deviceId", "contextId", "streamId", "correlationId", "globalPid", "eventId",
                "eventSyncId"}};
  Table graph_spans{file,
                    schema,
                    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                     "globalPid", "graphId", "graphExecId"}};
  Table graph_nodes{file,
                    schema,
                    "CUDA_GRAPH_NODE_EVENTS",
                    {"start", "end", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId"}};
  // Up to 2.9.1 a table of nodes, later one of graphs.
  Table graphs{file,
               schema,
               "CUDA_GRAPH_EVENTS",
               {"start", "end", "eventClass", "globalTid", "nameId", "graphId", "originalGraphId",
                "graphExecId", "graphNodeId", "originalGraphNodeId"}};
  Table memory{file,
               schema,
               "CUDA_GPU_MEMORY_USAGE_EVENTS",
               {"start", "globalPid", "deviceId", "contextId", "address", "bytes",
                "memoryOperationType", "correlationId"}};
  Table nvtx{file,
             schema,
             "NVTX_EVENTS",
             {"start", "end", "eventType", "rangeId", "color", "text", "globalTid", "textId",
              "domainId", "binaryData"}};
  Table os_calls{file, schema, "OSRT_API", {"start", "end", "globalTid", "nameId"}};
  Table mpi_messages{
      file, schema, "MPI_P2P_EVENTS", {"start", "end", "globalTid", "textId", "tag", "remoteRank"}};
  Table mpi_collectives{file,
                        schema,
                        "MPI_COLLECTIVES_EVENTS",
                        {"start", "end", "globalTid", "textId", "commHandle"}};
  Table mpi_waits{file, schema, "MPI_START_WAIT_EVENTS", {"start", "end", "globalTid", "textId"}};
  Table sched{file, schema, "SCHED_EVENTS", {"start", "cpu", "isSchedIn", "globalTid"}};
  Table overheads{file,
                  schema,
                  "CUPTI_ACTIVITY_KIND_OVERHEAD",
                  {"start", "end", "globalTid", "correlationId", "nameId"}};

  Tables(OutputFile& output, const SchemaVersion& version) : file(output), schema(version) {
    kernels.Constant("greenContextId", 0).Constant("launchType", 1).Constant("cacheConfig", 1);
    kernels.Constant("localMemoryPerThread", 0).Constant("localMemoryTotal", 0);
    kernels.Constant("sharedMemoryLimitConfig", 0).Constant("clusterX", 0).Constant("clusterY", 0);
    kernels.Constant("clusterZ", 0).Constant("clusterSchedulingPolicy", 1);
    kernels.Constant("maxPotentialClusterSize", 0).Constant("maxActiveClusters", 0);
    kernels.Constant("tensorSizeMinusOneElements", "[]");
    copies.Constant("greenContextId", 0).Constant("copyCount", 1);
    memsets.Constant("greenContextId", 0).Constant("value", 0).Constant("memKind", 2);
    syncs.Constant("deviceId", 0);
    events.Constant("timestamp", 0).Constant("greenContextId", 0);
    graph_spans.Constant("greenContextId", 0);
    graph_nodes.Constant("eventClass", 77);
    memory.Constant("pc", 0).Constant("memKind", 2);
    os_calls.Constant("eventClass", 27).Constant("returnValue", 0).Constant("nestingLevel", 0);
    os_calls.Constant("callchainId", 0).Constant("argumentsId", 0);
    mpi_messages.Constant("commHandle", 1).Constant("size", 4096);
    mpi_collectives.Constant("size", 4096);
    sched.Constant("threadState", 0);
    overheads.Constant("eventClass", 103).Constant("overheadType", 7);
  }
};

}  // namespace xsp::samples
