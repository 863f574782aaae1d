#include "importers/nsys/ids.h"
#include "importers/nsys/table.h"

namespace xsp {
namespace {

// What the tables of device work have in common; their own columns come behind.
constexpr NsysColumns kWork = {"start",    "end",           "deviceId", "contextId",
                               "streamId", "correlationId", "globalPid"};

void ReadStream(const NsysRow& row, NsysContext& context, Events::Row* event) {
  event->track = context.OnDevice(TrackKind::kStream, context.ProcessKeyOf(row, kWork["globalPid"]),
                                  row.Get<std::uint32_t>(kWork["deviceId"]),
                                  row.Get<std::uint32_t>(kWork["contextId"]),
                                  row.Get<std::uint32_t>(kWork["streamId"]));
  event->correlation = ReadCorrelation(row, kWork["correlationId"]);
}

// Reads time and place of device work; false if the row has no time.
bool ReadWork(const NsysRow& row, NsysContext& context, Events::Row* event) {
  if (!ReadDeviceTimes(row, kWork["start"], kWork["end"], event)) return false;
  ReadStream(row, context, event);
  return true;
}

class KernelReader : public SimpleReader<Kernels, EventKind::kKernel> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"shortName", IntoField<&Row::short_name>},
      {"mangledName", IntoField<&Row::mangled_name>},
      {"gridX", IntoField<&Row::grid_x>},
      {"gridY", IntoField<&Row::grid_y>},
      {"gridZ", IntoField<&Row::grid_z>},
      {"blockX", IntoField<&Row::block_x>},
      {"blockY", IntoField<&Row::block_y>},
      {"blockZ", IntoField<&Row::block_z>},
      {"registersPerThread", IntoField<&Row::registers>},
      {"staticSharedMemory", IntoField<&Row::static_shared>},
      {"dynamicSharedMemory", IntoField<&Row::dynamic_shared>},
      {"sharedMemoryExecuted", IntoField<&Row::executed_shared>},
      {"localMemoryPerThread", IntoField<&Row::local_per_thread>},
      {"launchType", IntoEnum<&Row::launch_type, 3>},
      {"clusterX", IntoField<&Row::cluster_x>},
      {"clusterY", IntoField<&Row::cluster_y>},
      {"clusterZ", IntoField<&Row::cluster_z>},
      {"graphNodeId", IntoField<&Row::graph_node>},
      {"graphId", IntoField<&Row::graph>},
  };
  static constexpr auto kColumns = kWork + NsysColumns{"demangledName"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadWork(row, context_, &event)) return;
    event.name = context_.strings().ById(row, kColumns["demangledName"]);
    Keep(event, ReadFields<KernelReader>(row, context_.strings()));
  }
};

// Copies, and the unified-memory migrations that stand among them.
class CopyReader : public NsysTableReader {
 public:
  using Row = Copies::Row;
  static constexpr NsysField<Row> kFields[] = {
      {"copyKind", IntoEnum<&Row::copy_kind, CopyKind::kUnifiedDtoD>},
      {"migrationCause", IntoEnum<&Row::migration_cause, 5>},
      {"bytes", IntoField<&Row::bytes>},
      {"srcKind", IntoEnum<&Row::source_kind, MemoryKind::kUnknown>},
      {"dstKind", IntoEnum<&Row::target_kind, MemoryKind::kUnknown>},
      {"srcDeviceId", IntoField<&Row::source_device>},
      {"dstDeviceId", IntoField<&Row::target_device>},
      {"copyCount", IntoField<&Row::count>},
      {"virtualAddress", IntoField<&Row::address>},
      {"graphNodeId", IntoField<&Row::graph_node>},
  };
  static constexpr auto kColumns = kWork + kFields;

  CopyReader(const NsysTableSpec&, NsysContext& context, ChunkLog& log, std::size_t)
      : context_(context), log_(log) {}

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadDeviceTimes(row, kColumns["start"], kColumns["end"], &event)) return;
    Row one;
    one.count = 1;
    const Row copy = ReadFields<CopyReader>(row, context_.strings(), one);
    if (IsMigration(row, copy)) {
      event.track = context_.OnDevice(TrackKind::kMigration,
                                      context_.ProcessKeyOf(row, kColumns["globalPid"]),
                                      row.Get<std::uint32_t>(kColumns["deviceId"]));
      migrations_.Add(event, copy);
    } else {
      ReadStream(row, context_, &event);
      copies_.Add(event, copy);
    }
    log_.Kept();
  }

  void Finish(std::uint64_t order) override {
    HandOver(EventKind::kMemcpy, order, copies_);
    HandOver(EventKind::kMigration, order, migrations_);
  }

 private:
  // A migration answers no call and runs on no stream.
  static bool IsMigration(const NsysRow& row, const Row& copy) {
    if (copy.copy_kind >= CopyKind::kUnifiedHtoD && copy.copy_kind <= CopyKind::kUnifiedDtoD) {
      return true;
    }
    return copy.migration_cause != kMissing<std::uint8_t> &&
           ReadCorrelation(row, kColumns["correlationId"]) == 0 &&
           row.Get<std::uint8_t>(kColumns["srcKind"]) ==
               static_cast<std::uint8_t>(MemoryKind::kUnknown);
  }

  void HandOver(EventKind kind, std::uint64_t order, NsysEvents<Copies>& rows) {
    context_.builder().Append(kind, order, "CUPTI_ACTIVITY_KIND_MEMCPY", std::move(rows.events),
                              rows.details, 0);
  }

  NsysContext& context_;
  ChunkLog& log_;
  NsysEvents<Copies> copies_;
  NsysEvents<Copies> migrations_;
};

class MemsetReader : public SimpleReader<Memsets, EventKind::kMemset> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"bytes", IntoField<&Row::bytes>},
      {"value", IntoField<&Row::value>},
      {"memKind", IntoEnum<&Row::memory_kind, MemoryKind::kUnknown>},
      {"graphNodeId", IntoField<&Row::graph_node>},
  };
  static constexpr auto kColumns = kWork + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadWork(row, context_, &event)) return;
    Keep(event, ReadFields<MemsetReader>(row, context_.strings()));
  }
};

class GraphSpanReader : public SimpleReader<GraphSpans, EventKind::kGraphSpan> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"graphId", IntoField<&Row::graph>},
      {"graphExecId", IntoField<&Row::graph_exec>},
  };
  static constexpr auto kColumns = kWork + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadWork(row, context_, &event)) return;
    Keep(event, ReadFields<GraphSpanReader>(row, context_.strings()));
  }
};

// Waits. What a wait waits for is told by which of its fields are set, not by its type, whose
// numbers changed their meaning from version to version.
class SyncReader : public SimpleReader<Syncs, EventKind::kSync> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"contextId", IntoField<&Row::context>},
      {"eventId", IntoField<&Row::event>},
      {"eventSyncId", IntoField<&Row::event_sync>},
  };
  static constexpr auto kColumns =
      NsysColumns{"start", "end", "deviceId", "streamId", "correlationId", "globalPid"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadTimes(row, kColumns["start"], kColumns["end"], &event)) return;
    const std::uint64_t process = context_.ProcessKeyOf(row, kColumns["globalPid"]);
    event.track = context_.WholeProcess(process);
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Row sync = ReadFields<SyncReader>(row, context_.strings());
    const auto stream = row.Get<std::uint32_t>(kColumns["streamId"]);
    sync.sync_kind = KindOf(stream != kNoneId, sync.event != kNoneId);
    if (stream != kNoneId) {
      const std::uint32_t device = context_.DeviceOfContext(
          process, sync.context, row.Get<std::uint32_t>(kColumns["deviceId"]));
      sync.stream = context_.OnDevice(TrackKind::kStream, process, device, sync.context, stream);
    }
    Keep(event, sync);
  }

 private:
  static SyncKind KindOf(bool has_stream, bool has_event) {
    if (has_stream) return has_event ? SyncKind::kStreamWait : SyncKind::kStream;
    return has_event ? SyncKind::kEvent : SyncKind::kContext;
  }
};

// cudaEventRecord. When it was called is not in the table: the builder takes that from the call.
class RecordReader : public SimpleReader<EventRecords, EventKind::kEventRecord> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"contextId", IntoField<&Row::context>},
      {"eventId", IntoField<&Row::event>},
      {"eventSyncId", IntoField<&Row::event_sync>},
  };
  static constexpr auto kColumns =
      NsysColumns{"timestamp", "streamId", "deviceId", "globalPid", "correlationId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Row record = ReadFields<RecordReader>(row, context_.strings());
    const std::uint64_t process = context_.ProcessKeyOf(row, kColumns["globalPid"]);
    const std::uint32_t device = context_.DeviceOfContext(
        process, record.context, row.Get<std::uint32_t>(kColumns["deviceId"]));
    record.stream = context_.OnDevice(TrackKind::kStream, process, device, record.context,
                                      row.Get<std::uint32_t>(kColumns["streamId"]));
    // 0: the time was not collected.
    const auto time = row.Get<std::int64_t>(kColumns["timestamp"], 0);
    if (time != 0) record.device_time = time;
    Events::Row event;
    event.track = context_.WholeProcess(process);
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Keep(event, record);
  }
};

}  // namespace

void AddCudaWorkTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog,
            {ReadBy<KernelReader>("CUPTI_ACTIVITY_KIND_KERNEL"),
             ReadBy<CopyReader>("CUPTI_ACTIVITY_KIND_MEMCPY"),
             ReadBy<MemsetReader>("CUPTI_ACTIVITY_KIND_MEMSET"),
             ReadBy<GraphSpanReader>("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"),
             ReadBy<SyncReader>("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"),
             ReadBy<RecordReader>("CUPTI_ACTIVITY_KIND_CUDA_EVENT")},
            specs);
}

}  // namespace xsp
