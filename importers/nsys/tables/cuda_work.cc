#include <string>

#include "importers/nsys/ids.h"
#include "importers/nsys/table.h"

namespace xsp {
namespace {

// Where all device work stands first.
enum WorkColumn : int {
  kStart = 1,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kPid,
  kFirstOwn
};

// Reads what all device work has in common; false if the row has no time.
struct WorkPlace {
  NsysTimes times;
  std::uint64_t process = 0;
  TrackId track;
  std::uint32_t correlation = 0;

  bool Read(const NsysRow& row, NsysContext& context) {
    if (!ReadDeviceTimes(row, kStart, kEnd, &times)) return false;
    ReadStream(row, context);
    return true;
  }
  void ReadStream(const NsysRow& row, NsysContext& context) {
    process = context.ProcessKeyOf(row, kPid);
    track = context.OnDevice(TrackKind::kStream, process, row.Get<std::uint32_t>(kDevice),
                             row.Get<std::uint32_t>(kContext), row.Get<std::uint32_t>(kStream));
    correlation = ReadCorrelation(row, kCorrelation);
  }
};

enum KernelColumn : int {
  kName = kFirstOwn,
  kShortName,
  kMangledName,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kExecutedShared,
  kLocal,
  kLaunchType,
  kClusterX,
  kClusterY,
  kClusterZ,
  kKernelNode,
  kKernelGraph
};
constexpr std::string_view kKernelColumns[] = {"start",
                                               "end",
                                               "deviceId",
                                               "contextId",
                                               "streamId",
                                               "correlationId",
                                               "globalPid",
                                               "demangledName",
                                               "shortName",
                                               "mangledName",
                                               "gridX",
                                               "gridY",
                                               "gridZ",
                                               "blockX",
                                               "blockY",
                                               "blockZ",
                                               "registersPerThread",
                                               "staticSharedMemory",
                                               "dynamicSharedMemory",
                                               "sharedMemoryExecuted",
                                               "localMemoryPerThread",
                                               "launchType",
                                               "clusterX",
                                               "clusterY",
                                               "clusterZ",
                                               "graphNodeId",
                                               "graphId"};

class KernelReader : public SimpleReader<Kernels> {
 public:
  KernelReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kKernel, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    WorkPlace work;
    if (!work.Read(row, context_)) return;
    Keep(work.times, work.track, context_.strings().ById(row, kName), work.correlation);
    Kernels& k = details_;
    auto u32 = [&](int column) { return row.Get<std::uint32_t>(column); };
    k.short_name.push_back(context_.strings().ById(row, kShortName));
    k.mangled_name.push_back(context_.strings().ById(row, kMangledName));
    k.grid_x.push_back(u32(kGridX));
    k.grid_y.push_back(u32(kGridY));
    k.grid_z.push_back(u32(kGridZ));
    k.block_x.push_back(u32(kBlockX));
    k.block_y.push_back(u32(kBlockY));
    k.block_z.push_back(u32(kBlockZ));
    k.registers.push_back(u32(kRegisters));
    k.static_shared.push_back(u32(kStaticShared));
    k.dynamic_shared.push_back(u32(kDynamicShared));
    k.executed_shared.push_back(u32(kExecutedShared));
    k.local_per_thread.push_back(u32(kLocal));
    k.launch_type.push_back(ReadEnum<std::uint8_t>(row, kLaunchType, 3, kMissing<std::uint8_t>));
    k.cluster_x.push_back(u32(kClusterX));
    k.cluster_y.push_back(u32(kClusterY));
    k.cluster_z.push_back(u32(kClusterZ));
    k.graph_node.push_back(row.Get<std::uint64_t>(kKernelNode));
    k.graph.push_back(row.Get<std::uint64_t>(kKernelGraph));
  }
};

enum CopyColumn : int {
  kCopyBytes = kFirstOwn,
  kCopyKind,
  kSourceKind,
  kTargetKind,
  kSourceDevice,
  kTargetDevice,
  kCause,
  kCopyNode,
  kAddress,
  kCopyCount
};
constexpr std::string_view kCopyColumns[] = {
    "start",          "end",         "deviceId",    "contextId",      "streamId",
    "correlationId",  "globalPid",   "bytes",       "copyKind",       "srcKind",
    "dstKind",        "srcDeviceId", "dstDeviceId", "migrationCause", "graphNodeId",
    "virtualAddress", "copyCount"};

// Copies, and the unified-memory migrations that stand among them.
class CopyReader : public NsysTableReader {
 public:
  CopyReader(const NsysTableSpec&, NsysContext& context, ChunkLog& log, std::size_t)
      : context_(context), log_(log) {}

  void Add(const NsysRow& row) override {
    WorkPlace work;
    if (!ReadDeviceTimes(row, kStart, kEnd, &work.times)) return;
    const auto kind = ReadEnum(row, kCopyKind, CopyKind::kUnifiedDtoD, CopyKind::kUnknown);
    const auto cause = ReadEnum<std::uint8_t>(row, kCause, 5, kMissing<std::uint8_t>);
    const bool is_migration = IsMigration(row, kind, cause);
    if (is_migration) {
      work.process = context_.ProcessKeyOf(row, kPid);
      work.track =
          context_.OnDevice(TrackKind::kMigration, work.process, row.Get<std::uint32_t>(kDevice));
    } else {
      work.ReadStream(row, context_);
    }
    Rows& rows = is_migration ? migrations_ : copies_;
    rows.events.Add(work.times, work.track, StringId(), work.correlation);
    log_.Kept();
    Copies& c = rows.details;
    c.bytes.push_back(row.Get<std::uint64_t>(kCopyBytes, 0));
    c.copy_kind.push_back(kind);
    c.source_kind.push_back(ReadEnum(row, kSourceKind, MemoryKind::kUnknown, MemoryKind::kUnknown));
    c.target_kind.push_back(ReadEnum(row, kTargetKind, MemoryKind::kUnknown, MemoryKind::kUnknown));
    c.source_device.push_back(row.Get<std::uint32_t>(kSourceDevice));
    c.target_device.push_back(row.Get<std::uint32_t>(kTargetDevice));
    c.count.push_back(row.Get<std::uint32_t>(kCopyCount, 1));
    c.migration_cause.push_back(cause);
    c.address.push_back(row.Get<std::uint64_t>(kAddress));
    c.graph_node.push_back(row.Get<std::uint64_t>(kCopyNode));
  }

  void Finish(std::uint64_t order) override {
    HandOver(EventKind::kMemcpy, order, copies_);
    HandOver(EventKind::kMigration, order, migrations_);
  }

 private:
  struct Rows {
    EventRows events;
    Copies details;
  };

  // A migration answers no call and runs on no stream.
  static bool IsMigration(const NsysRow& row, CopyKind kind, std::uint8_t cause) {
    if (kind >= CopyKind::kUnifiedHtoD && kind <= CopyKind::kUnifiedDtoD) return true;
    return cause != kMissing<std::uint8_t> && ReadCorrelation(row, kCorrelation) == 0 &&
           row.Get<std::uint8_t>(kSourceKind) == static_cast<std::uint8_t>(MemoryKind::kUnknown);
  }

  void HandOver(EventKind kind, std::uint64_t order, Rows& rows) {
    context_.builder().Append(kind, order, "CUPTI_ACTIVITY_KIND_MEMCPY",
                              std::move(rows.events.events()), rows.details, 0);
  }

  NsysContext& context_;
  ChunkLog& log_;
  Rows copies_;
  Rows migrations_;
};

constexpr std::string_view kMemsetColumns[] = {
    "start",     "end",   "deviceId", "contextId", "streamId",   "correlationId",
    "globalPid", "bytes", "value",    "memKind",   "graphNodeId"};

class MemsetReader : public SimpleReader<Memsets> {
 public:
  MemsetReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kMemset, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    WorkPlace work;
    if (!work.Read(row, context_)) return;
    Keep(work.times, work.track, StringId(), work.correlation);
    details_.bytes.push_back(row.Get<std::uint64_t>(kFirstOwn, 0));
    details_.value.push_back(row.Get<std::uint32_t>(kFirstOwn + 1, 0));
    details_.memory_kind.push_back(
        ReadEnum(row, kFirstOwn + 2, MemoryKind::kUnknown, MemoryKind::kUnknown));
    details_.graph_node.push_back(row.Get<std::uint64_t>(kFirstOwn + 3));
  }
};

constexpr std::string_view kGraphSpanColumns[] = {"start",     "end",      "deviceId",
                                                  "contextId", "streamId", "correlationId",
                                                  "globalPid", "graphId",  "graphExecId"};

class GraphSpanReader : public SimpleReader<GraphSpans> {
 public:
  GraphSpanReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kGraphSpan, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    WorkPlace work;
    if (!work.Read(row, context_)) return;
    Keep(work.times, work.track, StringId(), work.correlation);
    details_.graph.push_back(row.Get<std::uint64_t>(kFirstOwn));
    details_.graph_exec.push_back(row.Get<std::uint64_t>(kFirstOwn + 1));
  }
};

constexpr std::string_view kSyncColumns[] = {"start",     "end",      "deviceId",
                                             "contextId", "streamId", "correlationId",
                                             "globalPid", "eventId",  "eventSyncId"};

// Waits. What a wait waits for is told by which of its fields are set, not by its type, whose
// numbers changed their meaning from version to version.
class SyncReader : public SimpleReader<Syncs> {
 public:
  SyncReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kSync, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    const std::uint64_t process = context_.ProcessKeyOf(row, kPid);
    const auto context = row.Get<std::uint32_t>(kContext);
    const auto stream = row.Get<std::uint32_t>(kStream);
    const auto event = row.Get<std::uint32_t>(kFirstOwn);
    Keep(times, context_.WholeProcess(process), StringId(), ReadCorrelation(row, kCorrelation));
    details_.sync_kind.push_back(KindOf(stream != kNoneId, event != kNoneId));
    TrackId track;
    if (stream != kNoneId) {
      const std::uint32_t device =
          context_.DeviceOfContext(process, context, row.Get<std::uint32_t>(kDevice));
      track = context_.OnDevice(TrackKind::kStream, process, device, context, stream);
    }
    details_.stream.push_back(track);
    details_.context.push_back(context);
    details_.event.push_back(event);
    details_.event_sync.push_back(row.Get<std::uint32_t>(kFirstOwn + 1));
  }

 private:
  static SyncKind KindOf(bool has_stream, bool has_event) {
    if (has_stream) return has_event ? SyncKind::kStreamWait : SyncKind::kStream;
    return has_event ? SyncKind::kEvent : SyncKind::kContext;
  }
};

constexpr std::string_view kRecordColumns[] = {"timestamp", "contextId",  "streamId",
                                               "deviceId",  "globalPid",  "correlationId",
                                               "eventId",   "eventSyncId"};

// cudaEventRecord. When it was called is not in the table: the builder takes that from the call.
class RecordReader : public SimpleReader<EventRecords> {
 public:
  RecordReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kEventRecord, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    const std::uint64_t process = context_.ProcessKeyOf(row, 5);
    const auto context = row.Get<std::uint32_t>(2, 0);
    const std::uint32_t device =
        context_.DeviceOfContext(process, context, row.Get<std::uint32_t>(4));
    Keep({}, context_.WholeProcess(process), StringId(), ReadCorrelation(row, 6));
    details_.stream.push_back(
        context_.OnDevice(TrackKind::kStream, process, device, context, row.Get<std::uint32_t>(3)));
    details_.context.push_back(context);
    details_.event.push_back(row.Get<std::uint32_t>(7, 0));
    details_.event_sync.push_back(row.Get<std::uint32_t>(8));
    // 0: the time was not collected.
    const auto time = row.Get<std::int64_t>(1, 0);
    details_.device_time.push_back(time == 0 ? kMissing<TimeNs> : time);
  }
};

}  // namespace

void AddCudaWorkTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  const NsysTableSpec all[] = {
      {"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns, MakeReader<KernelReader>},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns, MakeReader<CopyReader>},
      {"CUPTI_ACTIVITY_KIND_MEMSET", kMemsetColumns, MakeReader<MemsetReader>},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphSpanColumns, MakeReader<GraphSpanReader>},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSyncColumns, MakeReader<SyncReader>},
      {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kRecordColumns, MakeReader<RecordReader>},
  };
  for (const NsysTableSpec& spec : all) {
    if (catalog.Has(spec.table)) specs.push_back(spec);
  }
}

}  // namespace xsp
