#include "importers/nsys/table.h"

namespace xsp {
namespace {

constexpr std::string_view kUsageColumns[] = {"start",
                                              "globalPid",
                                              "deviceId",
                                              "memoryOperationType",
                                              "address",
                                              "bytes",
                                              "memKind",
                                              "name",
                                              "correlationId",
                                              "localMemoryPoolAddress",
                                              "localMemoryPoolSize",
                                              "localMemoryPoolUtilizedSize"};

class UsageReader : public SimpleReader<MemoryOperations> {
 public:
  UsageReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kMemory, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    const TrackId track = context_.OnDevice(TrackKind::kDevice, context_.ProcessKeyOf(row, 2),
                                            row.Get<std::uint32_t>(3));
    Keep(times, track, context_.strings().Any(row, 8), ReadCorrelation(row, 9));
    details_.operation.push_back(
        ReadEnum(row, 4, MemoryOperation::kFree, MemoryOperation::kAllocate));
    details_.address.push_back(row.Get<std::uint64_t>(5));
    details_.bytes.push_back(row.Get<std::uint64_t>(6));
    details_.memory_kind.push_back(ReadEnum(row, 7, MemoryKind::kUnknown, MemoryKind::kUnknown));
    details_.pool.push_back(row.Get<std::uint64_t>(10));
    details_.pool_bytes.push_back(row.Get<std::uint64_t>(11));
    details_.pool_used_bytes.push_back(row.Get<std::uint64_t>(12));
  }
};

constexpr std::string_view kPoolColumns[] = {"start",
                                             "globalPid",
                                             "deviceId",
                                             "operationType",
                                             "poolType",
                                             "address",
                                             "localMemoryPoolSize",
                                             "localMemoryPoolUtilizedSize",
                                             "correlationId"};

class PoolReader : public SimpleReader<MemoryPools> {
 public:
  PoolReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kMemoryPool, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    const TrackId track = context_.OnDevice(TrackKind::kDevice, context_.ProcessKeyOf(row, 2),
                                            row.Get<std::uint32_t>(3));
    Keep(times, track, StringId(), ReadCorrelation(row, 9));
    details_.operation.push_back(ReadEnum<std::uint8_t>(row, 4, 3, 0));
    details_.pool_type.push_back(ReadEnum<std::uint8_t>(row, 5, 2, 0));
    details_.address.push_back(row.Get<std::uint64_t>(6));
    details_.bytes.push_back(row.Get<std::uint64_t>(7));
    details_.used_bytes.push_back(row.Get<std::uint64_t>(8));
  }
};

constexpr std::string_view kCpuFaultColumns[] = {"start", "globalPid", "address", "CpuInstruction"};

class CpuFaultReader : public SimpleReader<PageFaults> {
 public:
  CpuFaultReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kPageFault, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    Keep(times, context_.WholeProcess(context_.ProcessKeyOf(row, 2)),
         context_.strings().ById(row, 4));
    details_.on_gpu.push_back(0);
    details_.address.push_back(row.Get<std::uint64_t>(3));
    details_.count.push_back(1);
    details_.access.push_back(kMissing<std::uint8_t>);
  }
};

constexpr std::string_view kGpuFaultColumns[] = {
    "start", "end", "globalPid", "deviceId", "address", "numberOfPageFaults", "faultAccessType"};

class GpuFaultReader : public SimpleReader<PageFaults> {
 public:
  GpuFaultReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kPageFault, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadDeviceTimes(row, 1, 2, &times)) return;
    Keep(times,
         context_.OnDevice(TrackKind::kDevice, context_.ProcessKeyOf(row, 3),
                           row.Get<std::uint32_t>(4)),
         StringId());
    details_.on_gpu.push_back(1);
    details_.address.push_back(row.Get<std::uint64_t>(5));
    details_.count.push_back(row.Get<std::uint32_t>(6, 1));
    details_.access.push_back(ReadEnum<std::uint8_t>(row, 7, 4, kMissing<std::uint8_t>));
  }
};

}  // namespace

void AddMemoryTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  const NsysTableSpec all[] = {
      {"CUDA_GPU_MEMORY_USAGE_EVENTS", kUsageColumns, MakeReader<UsageReader>},
      {"CUDA_GPU_MEMORY_POOL_EVENTS", kPoolColumns, MakeReader<PoolReader>},
      {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", kCpuFaultColumns, MakeReader<CpuFaultReader>},
      {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", kGpuFaultColumns, MakeReader<GpuFaultReader>},
  };
  for (const NsysTableSpec& spec : all) {
    if (catalog.Has(spec.table)) specs.push_back(spec);
  }
}

}  // namespace xsp
