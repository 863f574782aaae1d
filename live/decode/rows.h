#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "model/building/trace_builder.h"
#include "model/column.h"
#include "model/details.h"
#include "model/events.h"

namespace xsp::live {

// The tables under which the import log counts records: CUPTI's own names.
inline constexpr std::string_view kKernelTable = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL";
inline constexpr std::string_view kCopyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr std::string_view kPeerTable = "CUPTI_ACTIVITY_KIND_MEMCPY2";
inline constexpr std::string_view kMemsetTable = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr std::string_view kGraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr std::string_view kUnifiedTable = "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER";
inline constexpr std::string_view kRuntimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view kDriverTable = "CUPTI_ACTIVITY_KIND_DRIVER";
inline constexpr std::string_view kSyncTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
inline constexpr std::string_view kEventTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
inline constexpr std::string_view kOverheadTable = "CUPTI_ACTIVITY_KIND_OVERHEAD";
inline constexpr std::string_view kMemoryTable = "CUPTI_ACTIVITY_KIND_MEMORY2";
inline constexpr std::string_view kPoolTable = "CUPTI_ACTIVITY_KIND_MEMORY_POOL";
inline constexpr std::string_view kNvtxTable = "NVTX";
inline constexpr std::string_view kGraphObjectTable = "CUDA graphs";

// The rows of one kind of events with their details, filled one by one.
template <class Table>
struct Rows {
  Events events;
  Table details;

  void Add(const Events::Row& event, const typename Table::Row& row) {
    events.Add(event);
    details.Add(row);
  }

  // Hands the rows over in the order of time. CUPTI delivers records in the order in which they
  // were completed: that they are not sorted is nothing to be noted.
  void GiveTo(TraceBuilder& builder, EventKind kind, std::string_view table) {
    if (!std::is_sorted(events.begin.begin(), events.begin.end())) {
      std::vector<std::uint32_t> order(events.begin.size());
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return events.begin[a] < events.begin[b];
      });
      PermuteRows(events, order);
      PermuteRows(details, order);
    }
    builder.Add(kind, 0, table, std::move(events), std::move(details));
  }
};

// All events of a recording, of all its processes.
struct RecordingRows {
  Rows<Kernels> kernels;
  Rows<Copies> copies;
  Rows<Copies> migrations;
  Rows<Memsets> memsets;
  Rows<GraphSpans> graphs;
  Rows<Calls> calls;
  Rows<Syncs> syncs;
  Rows<EventRecords> event_records;
  Rows<GraphObjects> graph_objects;
  Rows<Nvtx> push_pop;
  Rows<Nvtx> start_end;
  Rows<Nvtx> marks;
  Rows<MemoryOperations> memory;
  Rows<MemoryPools> pools;
  Rows<PageFaults> faults;
  Rows<Overheads> overheads;

  void GiveTo(TraceBuilder& builder) {
    kernels.GiveTo(builder, EventKind::kKernel, kKernelTable);
    copies.GiveTo(builder, EventKind::kMemcpy, kCopyTable);
    migrations.GiveTo(builder, EventKind::kMigration, kUnifiedTable);
    memsets.GiveTo(builder, EventKind::kMemset, kMemsetTable);
    graphs.GiveTo(builder, EventKind::kGraphSpan, kGraphTable);
    calls.GiveTo(builder, EventKind::kApi, kRuntimeTable);
    syncs.GiveTo(builder, EventKind::kSync, kSyncTable);
    event_records.GiveTo(builder, EventKind::kEventRecord, kEventTable);
    graph_objects.GiveTo(builder, EventKind::kGraphObject, kGraphObjectTable);
    push_pop.GiveTo(builder, EventKind::kNvtxPushPop, kNvtxTable);
    start_end.GiveTo(builder, EventKind::kNvtxStartEnd, kNvtxTable);
    marks.GiveTo(builder, EventKind::kNvtxMark, kNvtxTable);
    memory.GiveTo(builder, EventKind::kMemory, kMemoryTable);
    pools.GiveTo(builder, EventKind::kMemoryPool, kPoolTable);
    faults.GiveTo(builder, EventKind::kPageFault, kUnifiedTable);
    overheads.GiveTo(builder, EventKind::kOverhead, kOverheadTable);
  }
};

}  // namespace xsp::live
