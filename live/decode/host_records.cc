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
  Times times;
  if (!context.Read(record->start, record->end, kSyncTable, &times)) return;
  rows.Add(times, context.WholeProcess(), StringId(), context.Outer(record->correlation));
  context.Keep(kSyncTable);
  const bool has_stream = record->stream != kCuptiNone;
  const bool has_event = record->event != kCuptiNone;
  Syncs& s = rows.details;
  s.sync_kind.push_back(SyncKindOf(has_stream, has_event));
  s.stream.push_back(has_stream
                         ? context.OnDevice(TrackKind::kStream, context.DeviceOf(record->context),
                                            record->context, record->stream)
                         : TrackId());
  s.context.push_back(record->context);
  s.event.push_back(has_event ? record->event : kMissing<std::uint32_t>);
  s.event_sync.push_back(static_cast<std::uint32_t>(
      record.Or(&CuptiSyncRecord::event_sync, std::uint64_t{kMissing<std::uint32_t>})));
}

void TakeEventRecord(ProcessContext& context, Rows<EventRecords>& rows,
                     const RecordView<CuptiEventRecord>& record) {
  rows.Add({}, context.WholeProcess(), StringId(), context.Outer(record->correlation));
  context.Keep(kEventTable);
  EventRecords& e = rows.details;
  e.stream.push_back(context.OnDevice(TrackKind::kStream, context.DeviceOf(record->context),
                                      record->context, record->stream));
  e.context.push_back(record->context);
  e.event.push_back(record->event);
  e.event_sync.push_back(static_cast<std::uint32_t>(
      record.Or(&CuptiEventRecord::event_sync, std::uint64_t{kMissing<std::uint32_t>})));
  const std::uint64_t time = record.Or(&CuptiEventRecord::device_time, std::uint64_t{0});
  e.device_time.push_back(time == 0 ? kMissing<TimeNs> : context.FromCupti(time));
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
  Times times;
  if (!context.Read(record->start, record->end, kOverheadTable, &times)) return;
  const auto* type =
      std::find_if(std::begin(kOverheadTypes), std::end(kOverheadTypes),
                   [&](const OverheadType& known) { return known.cupti == record->overhead_kind; });
  if (type == std::end(kOverheadTypes)) {
    context.Note(kOverheadTable, ImportReason::kUnknownValue,
                 "overhead kind " + std::to_string(record->overhead_kind));
    type = kOverheadTypes;
  }
  const bool on_thread = record->object_kind == static_cast<std::uint32_t>(CuptiObject::kThread);
  const TrackId track = on_thread ? context.Thread(record->object[1]) : context.WholeProcess();
  const std::uint32_t correlation = record.Or(&CuptiOverheadRecord::correlation, std::uint32_t{0});
  rows.Add(times, track, context.builder().Intern(type->name), context.Outer(correlation));
  context.Keep(kOverheadTable);
  rows.details.overhead_type.push_back(type->type);
  rows.details.from_cupti.push_back(1);
}

std::uint64_t UnlessZero(std::uint64_t value) {
  return value == 0 ? kMissing<std::uint64_t> : value;
}

void TakeMemory(ProcessContext& context, Rows<MemoryOperations>& rows,
                const RecordView<CuptiMemoryRecord>& record) {
  Times times;
  if (!context.Read(record->time, record->time, kMemoryTable, &times)) return;
  rows.Add(times, context.OnDevice(TrackKind::kDevice, record->device),
           context.TextAt(record->name, kMemoryTable), context.Outer(record->correlation));
  context.Keep(kMemoryTable);
  constexpr std::uint32_t kRelease = 2;
  constexpr std::uint32_t kMemoryKinds = 7;
  MemoryOperations& m = rows.details;
  m.operation.push_back(record->operation == kRelease ? MemoryOperation::kFree
                                                      : MemoryOperation::kAllocate);
  m.address.push_back(record->address);
  m.bytes.push_back(record->bytes);
  const bool known = record->memory_kind >= 1 && record->memory_kind <= kMemoryKinds;
  m.memory_kind.push_back(known ? static_cast<MemoryKind>(record->memory_kind - 1)
                                : MemoryKind::kUnknown);
  // Only what comes from a pool says anything about one.
  m.pool.push_back(UnlessZero(record->pool_address));
  const bool pooled = record->pool_address != 0;
  m.pool_bytes.push_back(pooled ? record->pool_bytes : kMissing<std::uint64_t>);
  m.pool_used_bytes.push_back(pooled ? record->pool_used : kMissing<std::uint64_t>);
}

void TakePool(ProcessContext& context, Rows<MemoryPools>& rows,
              const RecordView<CuptiPoolRecord>& record) {
  Times times;
  if (!context.Read(record->time, record->time, kPoolTable, &times)) return;
  rows.Add(times, context.OnDevice(TrackKind::kDevice, record->device), StringId(),
           context.Outer(record->correlation));
  context.Keep(kPoolTable);
  rows.details.address.push_back(record->address);
  rows.details.operation.push_back(static_cast<std::uint8_t>(record->operation));
  rows.details.pool_type.push_back(static_cast<std::uint8_t>(record->pool_type));
  rows.details.bytes.push_back(record->bytes);
  rows.details.used_bytes.push_back(record.Or(&CuptiPoolRecord::used, kMissing<std::uint64_t>));
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
    Times times;
    if (!context.Read(call.start, call.end, table, &times)) continue;
    rows.calls.Add(times, context.Thread(call.thread), NameOf(context, call, table),
                   call.correlation);
    context.Keep(table);
    rows.calls.details.layer.push_back(call.driver ? ApiLayer::kDriver : ApiLayer::kRuntime);
    rows.calls.details.return_value.push_back(static_cast<std::int32_t>(call.return_value));
    rows.calls.details.chain.emplace_back();
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
