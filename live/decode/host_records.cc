#include "live/decode/host_records.h"

#include <algorithm>
#include <tuple>

namespace xsp::live {
namespace {

// Finds the driver calls that lie inside a runtime call of their thread. `outer[i]` becomes the row
// of the runtime call around call i, or -1.
std::vector<std::int64_t> FindOuterCalls(const std::vector<SpoolFacts::Call>& calls) {
  std::vector<std::uint32_t> order(calls.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      const SpoolFacts::Call& call = calls[i];
      return std::tuple(call.thread, call.start, ~call.end, call.driver, i);
    };
    return key(a) < key(b);
  });
  std::vector<std::int64_t> outer(calls.size(), -1);
  std::int64_t runtime = -1;  // The last runtime call of this thread.
  for (std::uint32_t i : order) {
    const SpoolFacts::Call& call = calls[i];
    if (runtime >= 0 && calls[runtime].thread != call.thread) runtime = -1;
    if (!call.driver) {
      runtime = i;
    } else if (runtime >= 0 && call.end <= calls[runtime].end) {
      outer[i] = runtime;
    }
  }
  return outer;
}

StringId NameOf(ProcessContext& context, const SpoolFacts::Call& call, std::string_view table) {
  const auto& names = context.facts().call_names;
  auto it = names.find({call.driver, call.cbid});
  if (it != names.end()) return context.Intern(it->second, table);
  const std::string name = "call_" + std::to_string(call.cbid);
  context.Note(table, ImportReason::kMissingString, name);
  return context.builder().Intern(name);
}

SyncKind SyncKindOf(bool has_stream, bool has_event) {
  if (has_stream) return has_event ? SyncKind::kStreamWait : SyncKind::kStream;
  return has_event ? SyncKind::kEvent : SyncKind::kContext;
}

void TakeSync(ProcessContext& context, Rows<Syncs>& rows,
              const RecordView<CuptiSyncRecord>& record) {
  Events::Row event;
  if (!context.Read(record->start, record->end, kSyncTable, &event)) return;
  event.track = context.WholeProcess();
  event.correlation = context.Outer(record->correlation);
  context.Keep(kSyncTable);
  const bool has_stream = record->stream != kCuptiNone;
  const bool has_event = record->event != kCuptiNone;
  Syncs::Row sync;
  sync.sync_kind = SyncKindOf(has_stream, has_event);
  if (has_stream) {
    sync.stream = context.OnDevice(TrackKind::kStream, context.DeviceOf(record->context),
                                   record->context, record->stream);
  }
  sync.context = record->context;
  if (has_event) sync.event = record->event;
  sync.event_sync = static_cast<std::uint32_t>(
      record.Or(&CuptiSyncRecord::event_sync, std::uint64_t{kMissing<std::uint32_t>}));
  rows.Add(event, sync);
}

void TakeEventRecord(ProcessContext& context, Rows<EventRecords>& rows,
                     const RecordView<CuptiEventRecord>& record) {
  Events::Row event;
  event.track = context.WholeProcess();
  event.correlation = context.Outer(record->correlation);
  context.Keep(kEventTable);
  EventRecords::Row row;
  row.stream = context.OnDevice(TrackKind::kStream, context.DeviceOf(record->context),
                                record->context, record->stream);
  row.context = record->context;
  row.event = record->event;
  row.event_sync = static_cast<std::uint32_t>(
      record.Or(&CuptiEventRecord::event_sync, std::uint64_t{kMissing<std::uint32_t>}));
  const std::uint64_t time = record.Or(&CuptiEventRecord::device_time, std::uint64_t{0});
  if (time != 0) row.device_time = context.FromCupti(time);
  rows.Add(event, row);
}

// CUPTI's numbers for overheads, as the model (and nsys) numbers and calls them.
struct OverheadType {
  std::uint32_t cupti;
  std::uint8_t type;
  std::string_view name;
};
constexpr OverheadType kOverheadTypes[] = {
    {0, 1, "Unknown"},
    {1, 2, "Driver Compiler"},
    {1 << 16, 3, "CUPTI Buffer flush"},
    {2 << 16, 4, "CUPTI Instrumentation"},
    {3 << 16, 5, "CUPTI Resource Management"},
    {4 << 16, 6, "Runtime Triggered Module Loading"},
    {5 << 16, 7, "Lazy Function Loading"},
    {6 << 16, 8, "Command Buffer Full"},
    {7 << 16, 1, "Activity Buffer Request"},
    {8 << 16, 1, "Unified Memory Activity Initialization"},
};

void TakeOverhead(ProcessContext& context, Rows<Overheads>& rows,
                  const RecordView<CuptiOverheadRecord>& record) {
  Events::Row event;
  if (!context.Read(record->start, record->end, kOverheadTable, &event)) return;
  const auto* type =
      std::find_if(std::begin(kOverheadTypes), std::end(kOverheadTypes),
                   [&](const OverheadType& known) { return known.cupti == record->overhead_kind; });
  if (type == std::end(kOverheadTypes)) {
    context.Note(kOverheadTable, ImportReason::kUnknownValue,
                 "overhead kind " + std::to_string(record->overhead_kind));
    type = kOverheadTypes;
  }
  const bool on_thread = record->object_kind == static_cast<std::uint32_t>(CuptiObject::kThread);
  event.track = on_thread ? context.Thread(record->object[1]) : context.WholeProcess();
  event.name = context.builder().Intern(type->name);
  event.correlation = context.Outer(record.Or(&CuptiOverheadRecord::correlation, std::uint32_t{0}));
  context.Keep(kOverheadTable);
  Overheads::Row overhead;
  overhead.overhead_type = type->type;
  overhead.from_cupti = 1;
  rows.Add(event, overhead);
}

void TakeMemory(ProcessContext& context, Rows<MemoryOperations>& rows,
                const RecordView<CuptiMemoryRecord>& record) {
  Events::Row event;
  if (!context.Read(record->time, record->time, kMemoryTable, &event)) return;
  event.track = context.OnDevice(TrackKind::kDevice, record->device);
  event.name = context.TextAt(record->name, kMemoryTable);
  event.correlation = context.Outer(record->correlation);
  context.Keep(kMemoryTable);
  constexpr std::uint32_t kRelease = 2;
  constexpr std::uint32_t kMemoryKinds = 7;
  MemoryOperations::Row memory;
  memory.operation =
      record->operation == kRelease ? MemoryOperation::kFree : MemoryOperation::kAllocate;
  memory.address = record->address;
  memory.bytes = record->bytes;
  const bool known = record->memory_kind >= 1 && record->memory_kind <= kMemoryKinds;
  if (known) memory.memory_kind = static_cast<MemoryKind>(record->memory_kind - 1);
  // Only what comes from a pool says anything about one.
  if (record->pool_address != 0) {
    memory.pool = record->pool_address;
    memory.pool_bytes = record->pool_bytes;
    memory.pool_used_bytes = record->pool_used;
  }
  rows.Add(event, memory);
}

void TakePool(ProcessContext& context, Rows<MemoryPools>& rows,
              const RecordView<CuptiPoolRecord>& record) {
  Events::Row event;
  if (!context.Read(record->time, record->time, kPoolTable, &event)) return;
  event.track = context.OnDevice(TrackKind::kDevice, record->device);
  event.correlation = context.Outer(record->correlation);
  context.Keep(kPoolTable);
  MemoryPools::Row pool;
  pool.address = record->address;
  pool.operation = static_cast<std::uint8_t>(record->operation);
  pool.pool_type = static_cast<std::uint8_t>(record->pool_type);
  pool.bytes = record->bytes;
  pool.used_bytes = record.Or(&CuptiPoolRecord::used, pool.used_bytes);
  rows.Add(event, pool);
}

}  // namespace

void TakeCalls(ProcessContext& context, RecordingRows& rows) {
  const std::vector<SpoolFacts::Call>& calls = context.facts().calls;
  const std::vector<std::int64_t> outer = FindOuterCalls(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const SpoolFacts::Call& call = calls[i];
    const std::string_view table = call.driver ? kDriverTable : kRuntimeTable;
    if (outer[i] >= 0) {
      const std::uint32_t id = calls[outer[i]].correlation;
      if (call.correlation != id) context.SetOuter(call.correlation, id);
      context.Note(table, ImportReason::kPseudoRow,
                   "correlation id " + std::to_string(call.correlation));
      continue;
    }
    Events::Row event;
    if (!context.Read(call.start, call.end, table, &event)) continue;
    event.track = context.Thread(call.thread);
    event.name = NameOf(context, call, table);
    event.correlation = call.correlation;
    context.Keep(table);
    Calls::Row row;
    row.layer = call.driver ? ApiLayer::kDriver : ApiLayer::kRuntime;
    row.return_value = static_cast<std::int32_t>(call.return_value);
    rows.calls.Add(event, row);
  }
}

bool TakeHostRecord(ProcessContext& context, RecordingRows& rows, CuptiKind kind, const char* at,
                    std::size_t bytes) {
  switch (kind) {
    case CuptiKind::kSynchronization:
      TakeSync(context, rows.syncs, {at, bytes});
      return true;
    case CuptiKind::kCudaEvent:
      TakeEventRecord(context, rows.event_records, {at, bytes});
      return true;
    case CuptiKind::kOverhead:
      TakeOverhead(context, rows.overheads, {at, bytes});
      return true;
    case CuptiKind::kMemory:
      TakeMemory(context, rows.memory, {at, bytes});
      return true;
    case CuptiKind::kMemoryPool:
      TakePool(context, rows.pools, {at, bytes});
      return true;
    default:
      return false;
  }
}

}  // namespace xsp::live
