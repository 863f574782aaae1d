#include "importers/nsys/tables/entities.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "importers/nsys/ids.h"
#include "importers/nsys/row.h"

namespace xsp {
namespace {

// Reads small tables row by row, each with the columns it is asked for.
class SmallTables {
 public:
  SmallTables(const SqliteDb& db, const NsysCatalog& catalog, bool salvage)
      : db_(db), catalog_(catalog), salvage_(salvage) {}

  bool Has(std::string_view table, std::string_view column) const {
    return catalog_.Has(table, column);
  }

  // Calls f(row) for every row; columns count from 1. Nothing happens if there is no such table.
  template <class F>
  void Read(std::string_view name, const std::vector<std::string_view>& columns, F f) {
    const NsysTable* table = catalog_.Find(name);
    if (table == nullptr) return;
    try {
      using Limits = std::numeric_limits<std::int64_t>;
      ScanTable(
          db_, *table, columns, Limits::min(), Limits::max(),
          [&](const SqliteValues& row, std::int64_t number) { f(NsysRow(row, number, log_)); });
    } catch (const SqliteError& error) {
      if (!salvage_) throw SqliteError(error.code(), "table " + table->name + ": " + error.what());
      damaged_.emplace(table->name, error.what());
    }
  }

  std::map<std::string, std::string> TakeDamaged() { return std::move(damaged_); }

 private:
  const SqliteDb& db_;
  const NsysCatalog& catalog_;
  bool salvage_;
  std::map<std::string, std::string> damaged_;
  ChunkLog log_;  // Oddities here concern names, not events: not kept.
};

std::optional<std::string> Text(const NsysRow& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return std::string(row.Bytes(column));
}

std::uint64_t ProcessOf(const NsysRow& row, int hardware, int vm, int pid) {
  return MakeProcessKey(row.Get<std::uint64_t>(hardware, 0), row.Get<std::uint64_t>(vm, 0),
                        row.Get<std::uint64_t>(pid, 0));
}

void ReadNames(SmallTables& tables, NsysEntities& all) {
  tables.Read("PROCESSES", {"globalPid", "name"}, [&](const NsysRow& row) {
    if (row.IsNull(1) || row.IsNull(2)) return;
    all.process_names[ProcessKey(row.Get<std::uint64_t>(1))] = row.Bytes(2);
  });
  tables.Read("MPI_RANKS", {"globalTid", "rank"}, [&](const NsysRow& row) {
    if (row.IsNull(1) || row.IsNull(2)) return;
    all.mpi_ranks[ProcessKey(row.Get<std::uint64_t>(1))] = row.Get<std::uint32_t>(2);
  });
  tables.Read("ThreadNames", {"globalTid", "nameId", "priority"}, [&](const NsysRow& row) {
    if (row.IsNull(1) || row.IsNull(2)) return;
    NsysEntities::ThreadRow& thread = all.threads[row.Get<std::uint64_t>(1)];
    thread.name = row.Get<std::int64_t>(2);
    thread.priority = row.Get<std::int32_t>(3);
  });
}

// A column of the source and the field of a GPU that it fills.
struct GpuColumn {
  std::string_view column;
  std::variant<std::uint32_t Gpu::*, std::uint64_t Gpu::*> field;
  std::uint32_t unit = 1;  // The column's, in the model's units.
};
constexpr GpuColumn kGpuColumns[] = {
    {"cuDevice", &Gpu::cuda_ordinal},
    {"smCount", &Gpu::sm_count},
    {"totalMemory", &Gpu::memory_bytes},
    {"memoryBandwidth", &Gpu::memory_bandwidth},
    {"l2CacheSize", &Gpu::l2_bytes},
    {"clockRate", &Gpu::clock_hz},
    {"computeMajor", &Gpu::compute_major},
    {"computeMinor", &Gpu::compute_minor},
    {"threadsPerWarp", &Gpu::threads_per_warp},
    {"maxWarpsPerSm", &Gpu::max_warps_per_sm},
    {"maxBlocksPerSm", &Gpu::max_blocks_per_sm},
    {"maxThreadsPerBlock", &Gpu::max_threads_per_block},
    {"maxRegistersPerBlock", &Gpu::max_registers_per_block},
    {"maxRegistersPerSm", &Gpu::max_registers_per_sm},
    {"maxShmemPerBlock", &Gpu::max_shared_per_block},
    {"maxShmemPerSm", &Gpu::max_shared_per_sm},
    {"asyncEngines", &Gpu::async_engines},
};
// Exports up to 2021 give memory in MiB and the clock in kHz; their bandwidth is 0 or cut to 32
// bits, so it is left out.
constexpr GpuColumn kOldGpuColumns[] = {
    {"numMultiprocessors", &Gpu::sm_count},
    {"globalMemorySize", &Gpu::memory_bytes, 1 << 20},
    {"l2CacheSize", &Gpu::l2_bytes},
    {"coreClockRate", &Gpu::clock_hz, 1000},
    {"computeCapabilityMajor", &Gpu::compute_major},
    {"computeCapabilityMinor", &Gpu::compute_minor},
    {"numThreadsPerWarp", &Gpu::threads_per_warp},
    {"maxWarpsPerMultiprocessor", &Gpu::max_warps_per_sm},
    {"maxBlocksPerMultiprocessor", &Gpu::max_blocks_per_sm},
    {"maxThreadsPerBlock", &Gpu::max_threads_per_block},
    {"maxRegistersPerBlock", &Gpu::max_registers_per_block},
    {"maxRegistersPerMultiprocessor", &Gpu::max_registers_per_sm},
    {"maxSharedMemoryPerBlock", &Gpu::max_shared_per_block},
    {"maxSharedMemoryPerMultiprocessor", &Gpu::max_shared_per_sm},
    {"numMemcpyEngines", &Gpu::async_engines},
};

std::vector<std::string_view> Names(std::initializer_list<std::string_view> first,
                                    std::span<const GpuColumn> then) {
  std::vector<std::string_view> names = first;
  for (const GpuColumn& column : then) names.push_back(column.column);
  return names;
}

// Fills a GPU from `columns`, the first of which is number `column`. What is missing, or would not
// fit in the model's units, stays missing.
void FillGpu(const NsysRow& row, int column, std::span<const GpuColumn> columns, Gpu& gpu) {
  for (const GpuColumn& from : columns) {
    auto fill = [&]<class T>(T Gpu::*field) {
      const T value = row.Get<T>(column);
      gpu.*field = value > kMissing<T> / from.unit ? kMissing<T> : value * from.unit;
    };
    std::visit(fill, from.field);
    ++column;
  }
}

void ReadGpus(SmallTables& tables, NsysEntities& all) {
  const bool has_id = tables.Has("TARGET_INFO_GPU", "id");
  const auto columns =
      Names({has_id ? "id" : "deviceId", "name", "busLocation", "uuid", "chipName"}, kGpuColumns);
  tables.Read("TARGET_INFO_GPU", columns, [&](const NsysRow& row) {
    NsysEntities::GpuRow& out = all.gpus.emplace_back();
    out.gpu.source_id = row.Get<std::uint32_t>(1);
    out.name = Text(row, 2);
    out.bus = Text(row, 3);
    out.uuid = Text(row, 4);
    out.chip = Text(row, 5);
    FillGpu(row, 6, kGpuColumns, out.gpu);
  });
}

// Exports up to 2021 have the properties of a device once per process, and the ordinal as the only
// link: a GPU takes those of the first process that saw it under its own number.
void ReadOldGpuProperties(SmallTables& tables, NsysEntities& all) {
  std::unordered_map<std::uint32_t, std::size_t> place;  // In all.gpus, by source_id.
  for (std::size_t i = 0; i < all.gpus.size(); ++i) place.try_emplace(all.gpus[i].gpu.source_id, i);
  const auto columns = Names({"deviceId", "name", "pciBusId"}, kOldGpuColumns);
  tables.Read("TARGET_INFO_CUDA_GPU", columns, [&](const NsysRow& row) {
    const auto id = row.Get<std::uint32_t>(1);
    const auto [at, added] = place.try_emplace(id, all.gpus.size());
    if (added) all.gpus.emplace_back().gpu.source_id = id;
    NsysEntities::GpuRow& out = all.gpus[at->second];
    if (out.gpu.sm_count != kMissing<std::uint32_t>) return;
    if (!out.name) out.name = Text(row, 2);
    if (!out.bus) out.bus = Text(row, 3);
    FillGpu(row, 4, kOldGpuColumns, out.gpu);
  });
}

void ReadContexts(SmallTables& tables, NsysEntities& all) {
  tables.Read("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [&](const NsysRow& row) {
    all.gpu_of_device[{row.Get<std::uint32_t>(1), row.Get<std::uint32_t>(2)}] =
        row.Get<std::uint32_t>(3);
  });
  auto add = [&](const NsysRow& row) {
    const auto id = row.Get<std::uint32_t>(5);
    if (id == kNoneId) return;
    NsysEntities::ContextRow& context = all.contexts[{ProcessOf(row, 2, 3, 4), id}];
    context.null_stream = row.Get<std::uint32_t>(1);
    context.device = row.Get<std::uint32_t>(6);
    context.is_green = row.Get<std::uint8_t>(8, 0) != 0;
    if (context.is_green) context.parent = row.Get<std::uint32_t>(7);
  };
  tables.Read("TARGET_INFO_CUDA_NULL_STREAM",
              {"streamId", "hwId", "vmId", "processId", "contextId", "deviceId", "parentContextId",
               "isGreenContext"},
              add);
  tables.Read("TARGET_INFO_CUDA_CONTEXT_INFO",
              {"nullStreamId", "hwId", "vmId", "processId", "contextId", "deviceId",
               "parentContextId", "isGreenContext"},
              add);
}

void ReadStreams(SmallTables& tables, NsysEntities& all) {
  tables.Read("TARGET_INFO_CUDA_STREAM",
              {"streamId", "hwId", "vmId", "processId", "contextId", "priority", "flag"},
              [&](const NsysRow& row) {
                NsysEntities::StreamRow& stream = all.streams[{
                    ProcessOf(row, 2, 3, 4), row.Get<std::uint32_t>(5), row.Get<std::uint32_t>(1)}];
                // A signed number in unsigned clothes: 4294967291 is -5.
                if (!row.IsNull(6)) {
                  stream.priority = static_cast<std::int32_t>(
                      static_cast<std::uint32_t>(row.Get<std::uint64_t>(6)));
                }
                const auto flag = row.Get<std::uint8_t>(7, 0);
                if (flag <= static_cast<std::uint8_t>(StreamFlag::kNull)) {
                  stream.flag = static_cast<StreamFlag>(flag);
                }
              });
  tables.Read("TARGET_INFO_NVTX_CUDA_STREAM",
              {"streamId", "hwId", "vmId", "processId", "contextId", "name"},
              [&](const NsysRow& row) {
                all.stream_names[{ProcessOf(row, 2, 3, 4), row.Get<std::uint32_t>(5),
                                  row.Get<std::uint32_t>(1)}] = row.Bytes(6);
              });
}

void ReadMetricNames(SmallTables& tables, NsysEntities& all) {
  tables.Read(
      "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](const NsysRow& row) {
        all.metric_names[{row.Get<std::int64_t>(1), row.Get<std::int64_t>(2)}] = row.Bytes(3);
      });
}

// Newer exports name a card by its place in a list, and map global ids to that.
void ReadNetworkCards(SmallTables& tables, NsysEntities& all) {
  tables.Read("TARGET_INFO_NETWORK_METRICS", {"metricsListId", "metricsIdx", "name"},
              [&](const NsysRow& row) {
                all.network_metric_names[{row.Get<std::int64_t>(1), row.Get<std::int64_t>(2)}] =
                    row.Bytes(3);
              });
  std::map<std::int64_t, std::string> by_place;
  const bool has_global_id = tables.Has("TARGET_INFO_NIC_INFO", "globalId");
  tables.Read("TARGET_INFO_NIC_INFO", {"nicId", "name", has_global_id ? "globalId" : "nicId"},
              [&](const NsysRow& row) {
                by_place[row.Get<std::int64_t>(1)] = row.Bytes(2);
                if (has_global_id) all.nic_names[row.Get<std::int64_t>(3)] = row.Bytes(2);
              });
  tables.Read("NIC_ID_MAP", {"nicId", "globalId"}, [&](const NsysRow& row) {
    const auto card = by_place.find(row.Get<std::int64_t>(1));
    if (card != by_place.end()) all.nic_names[row.Get<std::int64_t>(2)] = card->second;
  });
}

}  // namespace

NsysEntities ReadEntities(const SqliteDb& db, const NsysCatalog& catalog, bool salvage) {
  NsysEntities all;
  SmallTables tables(db, catalog, salvage);
  ReadNames(tables, all);
  ReadGpus(tables, all);
  ReadOldGpuProperties(tables, all);
  std::stable_sort(all.gpus.begin(), all.gpus.end(),
                   [](const auto& a, const auto& b) { return a.gpu.source_id < b.gpu.source_id; });
  ReadContexts(tables, all);
  ReadStreams(tables, all);
  ReadMetricNames(tables, all);
  ReadNetworkCards(tables, all);
  all.damaged = tables.TakeDamaged();
  return all;
}

}  // namespace xsp
