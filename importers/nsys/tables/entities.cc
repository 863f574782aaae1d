#include "importers/nsys/tables/entities.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

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
  void Read(std::string_view name, std::initializer_list<std::string_view> columns, F f) {
    const NsysTable* table = catalog_.Find(name);
    if (table == nullptr) return;
    try {
      using Limits = std::numeric_limits<std::int64_t>;
      ScanTable(
          db_, *table, {columns.begin(), columns.size()}, Limits::min(), Limits::max(),
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
  tables.Read("ThreadNames", {"globalTid", "nameId", "priority"}, [&](const NsysRow& row) {
    if (row.IsNull(1) || row.IsNull(2)) return;
    NsysEntities::ThreadRow& thread = all.threads[row.Get<std::uint64_t>(1)];
    thread.name = row.Get<std::int64_t>(2);
    thread.priority = row.Get<std::int32_t>(3);
  });
}

void ReadGpus(SmallTables& tables, NsysEntities& all) {
  const bool has_id = tables.Has("TARGET_INFO_GPU", "id");
  tables.Read("TARGET_INFO_GPU",
              {has_id ? "id" : "deviceId",
               "cuDevice",
               "name",
               "busLocation",
               "uuid",
               "chipName",
               "smCount",
               "totalMemory",
               "memoryBandwidth",
               "l2CacheSize",
               "clockRate",
               "computeMajor",
               "computeMinor",
               "threadsPerWarp",
               "maxWarpsPerSm",
               "maxBlocksPerSm",
               "maxThreadsPerBlock",
               "maxRegistersPerBlock",
               "maxRegistersPerSm",
               "maxShmemPerBlock",
               "maxShmemPerSm",
               "asyncEngines"},
              [&](const NsysRow& row) {
                NsysEntities::GpuRow& out = all.gpus.emplace_back();
                auto u32 = [&](int column) { return row.Get<std::uint32_t>(column); };
                auto u64 = [&](int column) { return row.Get<std::uint64_t>(column); };
                out.gpu.source_id = u32(1);
                out.gpu.cuda_ordinal = u32(2);
                out.name = Text(row, 3);
                out.bus = Text(row, 4);
                out.uuid = Text(row, 5);
                out.chip = Text(row, 6);
                out.gpu.sm_count = u32(7);
                out.gpu.memory_bytes = u64(8);
                out.gpu.memory_bandwidth = u64(9);
                out.gpu.l2_bytes = u64(10);
                out.gpu.clock_hz = u64(11);
                out.gpu.compute_major = u32(12);
                out.gpu.compute_minor = u32(13);
                out.gpu.threads_per_warp = u32(14);
                out.gpu.max_warps_per_sm = u32(15);
                out.gpu.max_blocks_per_sm = u32(16);
                out.gpu.max_threads_per_block = u32(17);
                out.gpu.max_registers_per_block = u32(18);
                out.gpu.max_registers_per_sm = u32(19);
                out.gpu.max_shared_per_block = u32(20);
                out.gpu.max_shared_per_sm = u32(21);
                out.gpu.async_engines = u32(22);
              });
}

// A number in other units; what is missing, or would not fit, stays missing.
std::uint64_t Scaled(std::uint64_t value, std::uint64_t factor) {
  constexpr auto none = kMissing<std::uint64_t>;
  return value > none / factor ? none : value * factor;
}

// Exports up to 2021 have the properties of a device once per process, and the ordinal as the only
// link: a GPU takes those of the first process that saw it under its own number. They give memory
// in MiB and the clock in kHz; their bandwidth is 0 or cut to 32 bits, so it is left out.
void ReadOldGpuProperties(SmallTables& tables, NsysEntities& all) {
  std::unordered_map<std::uint32_t, std::size_t> place;  // In all.gpus, by source_id.
  for (std::size_t i = 0; i < all.gpus.size(); ++i) place.try_emplace(all.gpus[i].gpu.source_id, i);
  tables.Read("TARGET_INFO_CUDA_GPU",
              {"deviceId", "name", "pciBusId", "numMultiprocessors", "globalMemorySize",
               "l2CacheSize", "coreClockRate", "computeCapabilityMajor", "computeCapabilityMinor",
               "numThreadsPerWarp", "maxWarpsPerMultiprocessor", "maxBlocksPerMultiprocessor",
               "maxThreadsPerBlock", "maxRegistersPerBlock", "maxRegistersPerMultiprocessor",
               "maxSharedMemoryPerBlock", "maxSharedMemoryPerMultiprocessor", "numMemcpyEngines"},
              [&](const NsysRow& row) {
                const auto id = row.Get<std::uint32_t>(1);
                const auto [at, added] = place.try_emplace(id, all.gpus.size());
                if (added) all.gpus.emplace_back().gpu.source_id = id;
                NsysEntities::GpuRow& out = all.gpus[at->second];
                Gpu& gpu = out.gpu;
                if (gpu.sm_count != kMissing<std::uint32_t>) return;
                auto u32 = [&](int column) { return row.Get<std::uint32_t>(column); };
                auto u64 = [&](int column) { return row.Get<std::uint64_t>(column); };
                if (!out.name) out.name = Text(row, 2);
                if (!out.bus) out.bus = Text(row, 3);
                gpu.sm_count = u32(4);
                gpu.memory_bytes = Scaled(u64(5), std::uint64_t{1} << 20);
                gpu.l2_bytes = u64(6);
                gpu.clock_hz = Scaled(u64(7), 1000);
                gpu.compute_major = u32(8);
                gpu.compute_minor = u32(9);
                gpu.threads_per_warp = u32(10);
                gpu.max_warps_per_sm = u32(11);
                gpu.max_blocks_per_sm = u32(12);
                gpu.max_threads_per_block = u32(13);
                gpu.max_registers_per_block = u32(14);
                gpu.max_registers_per_sm = u32(15);
                gpu.max_shared_per_block = u32(16);
                gpu.max_shared_per_sm = u32(17);
                gpu.async_engines = u32(18);
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
  all.damaged = tables.TakeDamaged();
  return all;
}

}  // namespace xsp
