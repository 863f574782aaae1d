#include "importers/nsys/table.h"

namespace xsp {
namespace {

TrackId DeviceTrack(const NsysRow& row, int pid_column, int device_column, NsysContext& context) {
  return context.OnDevice(TrackKind::kDevice, context.ProcessKeyOf(row, pid_column),
                          row.Get<std::uint32_t>(device_column));
}

class UsageReader : public SimpleReader<MemoryOperations, EventKind::kMemory> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"memoryOperationType", IntoEnum<&Row::operation, MemoryOperation::kFree>},
      {"address", IntoField<&Row::address>},
      {"bytes", IntoField<&Row::bytes>},
      {"memKind", IntoEnum<&Row::memory_kind, MemoryKind::kUnknown>},
      {"localMemoryPoolAddress", IntoField<&Row::pool>},
      {"localMemoryPoolSize", IntoField<&Row::pool_bytes>},
      {"localMemoryPoolUtilizedSize", IntoField<&Row::pool_used_bytes>},
  };
  static constexpr auto kColumns =
      NsysColumns{"start", "globalPid", "deviceId", "name", "correlationId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    event.track = DeviceTrack(row, kColumns["globalPid"], kColumns["deviceId"], context_);
    event.name = context_.strings().Any(row, kColumns["name"]);
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Keep(event, ReadFields<UsageReader>(row, context_.strings()));
  }
};

class PoolReader : public SimpleReader<MemoryPools, EventKind::kMemoryPool> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"operationType", IntoEnum<&Row::operation, 3>},
      {"poolType", IntoEnum<&Row::pool_type, 2>},
      {"address", IntoField<&Row::address>},
      {"localMemoryPoolSize", IntoField<&Row::bytes>},
      {"localMemoryPoolUtilizedSize", IntoField<&Row::used_bytes>},
  };
  static constexpr auto kColumns =
      NsysColumns{"start", "globalPid", "deviceId", "correlationId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    event.track = DeviceTrack(row, kColumns["globalPid"], kColumns["deviceId"], context_);
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Keep(event, ReadFields<PoolReader>(row, context_.strings()));
  }
};

class CpuFaultReader : public SimpleReader<PageFaults, EventKind::kPageFault> {
 public:
  static constexpr NsysColumns kColumns = {"start", "globalPid", "address", "CpuInstruction"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    event.track = context_.WholeProcess(context_.ProcessKeyOf(row, kColumns["globalPid"]));
    event.name = context_.strings().ById(row, kColumns["CpuInstruction"]);
    Row fault;
    fault.address = row.Get<std::uint64_t>(kColumns["address"]);
    fault.count = 1;
    Keep(event, fault);
  }
};

class GpuFaultReader : public SimpleReader<PageFaults, EventKind::kPageFault> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"address", IntoField<&Row::address>},
      {"numberOfPageFaults", IntoField<&Row::count>},
      {"faultAccessType", IntoEnum<&Row::access, 4>},
  };
  static constexpr auto kColumns = NsysColumns{"start", "end", "globalPid", "deviceId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadDeviceTimes(row, kColumns["start"], kColumns["end"], &event)) return;
    event.track = DeviceTrack(row, kColumns["globalPid"], kColumns["deviceId"], context_);
    Row fault;
    fault.on_gpu = 1;
    fault.count = 1;
    Keep(event, ReadFields<GpuFaultReader>(row, context_.strings(), fault));
  }
};

}  // namespace

void AddMemoryTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog,
            {ReadBy<UsageReader>("CUDA_GPU_MEMORY_USAGE_EVENTS"),
             ReadBy<PoolReader>("CUDA_GPU_MEMORY_POOL_EVENTS"),
             ReadBy<CpuFaultReader>("CUDA_UM_CPU_PAGE_FAULT_EVENTS"),
             ReadBy<GpuFaultReader>("CUDA_UM_GPU_PAGE_FAULT_EVENTS")},
            specs);
}

}  // namespace xsp
