#include "live/decode/device_work.h"

namespace xsp::live {
namespace {

// CUPTI says 0 where there is none.
template <class T>
std::uint64_t UnlessZero(T value) {
  return value == 0 ? kMissing<std::uint64_t> : std::uint64_t{value};
}

// CUPTI counts from "unknown", 0; the model, as nsys, ends with it.
MemoryKind MemoryKindOf(std::uint32_t cupti, ProcessContext& context, std::string_view table) {
  constexpr std::uint32_t kKinds = 7;
  if (cupti >= 1 && cupti <= kKinds) return static_cast<MemoryKind>(cupti - 1);
  if (cupti != 0) {
    context.Note(table, ImportReason::kUnknownValue, "memory kind " + std::to_string(cupti));
  }
  return MemoryKind::kUnknown;
}

CopyKind CopyKindOf(std::uint8_t cupti, ProcessContext& context, std::string_view table) {
  if (cupti > static_cast<std::uint8_t>(CopyKind::kPtoP)) {
    context.Note(table, ImportReason::kUnknownValue, "copy kind " + std::to_string(cupti));
    return CopyKind::kUnknown;
  }
  return static_cast<CopyKind>(cupti);
}

// CUPTI: 0 regular, 1 and 2 cooperative; the model has "unknown" ahead of them.
std::uint8_t LaunchTypeOf(std::uint8_t cupti, ProcessContext& context) {
  if (cupti <= 2) return static_cast<std::uint8_t>(cupti + 1);
  context.Note(kKernelTable, ImportReason::kUnknownValue, "launch type " + std::to_string(cupti));
  return 0;
}

// What all copies tell.
template <class Record>
Copies::Row CopyOf(const RecordView<Record>& record, ProcessContext& context,
                   std::string_view table) {
  Copies::Row copy;
  copy.bytes = record->bytes;
  copy.copy_kind = CopyKindOf(record->copy_kind, context, table);
  copy.source_kind = MemoryKindOf(record->source_kind, context, table);
  copy.target_kind = MemoryKindOf(record->target_kind, context, table);
  copy.count = 1;
  copy.graph_node = UnlessZero(record->graph_node);
  return copy;
}

}  // namespace

DeviceWork::DeviceWork(ProcessContext& context, RecordingRows& rows)
    : context_(context), rows_(rows) {
  const SpoolFacts& facts = context.facts();
  if (facts.switches.empty() || facts.switches.back().on) return;
  stopped_ = context.FromHost(facts.switches.back().time);
  for (const SpoolFacts::Call& call : facts.calls) recorded_calls_.insert(call.correlation);
}

bool DeviceWork::IsAfterStop(TimeNs begin, std::uint32_t correlation) const {
  return stopped_ && begin >= *stopped_ && !recorded_calls_.contains(correlation);
}

bool DeviceWork::Take(CuptiKind kind, const char* at, std::size_t bytes) {
  switch (kind) {
    case CuptiKind::kKernel:
    case CuptiKind::kConcurrentKernel:
      TakeKernel({at, bytes});
      return true;
    case CuptiKind::kMemcpy:
      TakeCopy({at, bytes});
      return true;
    case CuptiKind::kMemcpyPeer:
      TakePeerCopy({at, bytes});
      return true;
    case CuptiKind::kMemset:
      TakeMemset({at, bytes});
      return true;
    case CuptiKind::kGraphTrace:
      TakeGraph({at, bytes});
      return true;
    case CuptiKind::kUnifiedMemory:
      TakeUnified({at, bytes});
      return true;
    default:
      return false;
  }
}

template <class Record>
bool DeviceWork::Place(const RecordView<Record>& record, std::string_view table,
                       Events::Row* event) {
  if (!context_.Read(record->start, record->end, table, event)) return false;
  if (IsAfterStop(event->begin, record->correlation)) {
    ++context_.after_stop;
    return false;
  }
  event->track =
      context_.OnDevice(TrackKind::kStream, record->device, record->context, record->stream);
  event->correlation = context_.Outer(record->correlation);
  context_.Keep(table);
  return true;
}

void DeviceWork::TakeKernel(const RecordView<CuptiKernelRecord>& record) {
  using R = CuptiKernelRecord;
  Events::Row event;
  if (!Place(record, kKernelTable, &event)) return;
  const ProcessContext::Kernel& name = context_.KernelAt(record->name);
  event.name = name.full;
  Kernels::Row kernel;
  auto u32 = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  kernel.short_name = name.bare;
  kernel.mangled_name = name.mangled;
  kernel.grid_x = u32(record->grid_x);
  kernel.grid_y = u32(record->grid_y);
  kernel.grid_z = u32(record->grid_z);
  kernel.block_x = u32(record->block_x);
  kernel.block_y = u32(record->block_y);
  kernel.block_z = u32(record->block_z);
  kernel.registers = record->registers;
  kernel.static_shared = u32(record->static_shared);
  kernel.dynamic_shared = u32(record->dynamic_shared);
  kernel.executed_shared = record->executed_shared;
  kernel.local_per_thread = record->local_per_thread;
  kernel.launch_type = LaunchTypeOf(record->launch_type, context_);
  kernel.cluster_x = record.Or(&R::cluster_x, kernel.cluster_x);
  kernel.cluster_y = record.Or(&R::cluster_y, kernel.cluster_y);
  kernel.cluster_z = record.Or(&R::cluster_z, kernel.cluster_z);
  kernel.graph_node = UnlessZero(record->graph_node);
  kernel.graph = UnlessZero(record->graph);
  rows_.kernels.Add(event, kernel);
}

void DeviceWork::TakeCopy(const RecordView<CuptiMemcpyRecord>& record) {
  Events::Row event;
  if (!Place(record, kCopyTable, &event)) return;
  Copies::Row copy = CopyOf(record, context_, kCopyTable);
  const std::uint64_t count = record.Or(&CuptiMemcpyRecord::copy_count, std::uint64_t{1});
  if (count != 0) copy.count = static_cast<std::uint32_t>(count);
  rows_.copies.Add(event, copy);
}

void DeviceWork::TakePeerCopy(const RecordView<CuptiPeerCopyRecord>& record) {
  Events::Row event;
  if (!Place(record, kPeerTable, &event)) return;
  Copies::Row copy = CopyOf(record, context_, kPeerTable);
  copy.source_device = record->source_device;
  copy.target_device = record->target_device;
  rows_.copies.Add(event, copy);
}

void DeviceWork::TakeMemset(const RecordView<CuptiMemsetRecord>& record) {
  Events::Row event;
  if (!Place(record, kMemsetTable, &event)) return;
  Memsets::Row memset;
  memset.bytes = record->bytes;
  memset.value = record->value;
  memset.memory_kind = MemoryKindOf(record->memory_kind, context_, kMemsetTable);
  memset.graph_node = UnlessZero(record->graph_node);
  rows_.memsets.Add(event, memset);
}

void DeviceWork::TakeGraph(const RecordView<CuptiGraphRecord>& record) {
  Events::Row event;
  if (!Place(record, kGraphTable, &event)) return;
  GraphSpans::Row graph;
  graph.graph = UnlessZero(record->graph);
  rows_.graphs.Add(event, graph);
}

void DeviceWork::TakeUnified(const RecordView<CuptiUnifiedRecord>& record) {
  switch (static_cast<CuptiUnified>(record->counter)) {
    case CuptiUnified::kHostToDevice:
      return TakeMigration(*record.operator->(), CopyKind::kUnifiedHtoD);
    case CuptiUnified::kDeviceToHost:
      return TakeMigration(*record.operator->(), CopyKind::kUnifiedDtoH);
    case CuptiUnified::kDeviceToDevice:
      return TakeMigration(*record.operator->(), CopyKind::kUnifiedDtoD);
    case CuptiUnified::kCpuFault:
      return TakeFault(*record.operator->(), false);
    case CuptiUnified::kGpuFault:
      return TakeFault(*record.operator->(), true);
  }
  // Thrashing, throttling and remote maps have no place in the model.
  context_.Note(kUnifiedTable, ImportReason::kPseudoRow,
                "counter " + std::to_string(record->counter));
}

void DeviceWork::TakeMigration(const CuptiUnifiedRecord& record, CopyKind kind) {
  Events::Row event;
  if (!context_.Read(record.start, record.end, kUnifiedTable, &event)) return;
  const std::uint32_t device = kind == CopyKind::kUnifiedDtoH ? record.source : record.target;
  event.track = context_.OnDevice(TrackKind::kMigration, device);
  context_.Keep(kUnifiedTable);
  Copies::Row copy;
  copy.bytes = record.value;
  copy.copy_kind = kind;
  if (kind == CopyKind::kUnifiedDtoD) {
    copy.source_device = record.source;
    copy.target_device = record.target;
  }
  copy.count = 1;
  constexpr std::uint32_t kCauses = 5;
  if (record.flags <= kCauses) copy.migration_cause = static_cast<std::uint8_t>(record.flags);
  copy.address = record.address;
  rows_.migrations.Add(event, copy);
}

void DeviceWork::TakeFault(const CuptiUnifiedRecord& record, bool on_gpu) {
  Events::Row event;
  const std::uint64_t end = on_gpu ? record.end : record.start;
  if (!context_.Read(record.start, end, kUnifiedTable, &event)) return;
  event.track =
      on_gpu ? context_.OnDevice(TrackKind::kDevice, record.source) : context_.WholeProcess();
  context_.Keep(kUnifiedTable);
  PageFaults::Row fault;
  fault.on_gpu = on_gpu ? 1 : 0;
  fault.address = record.address;
  // On the GPU the value counts faults of one group; on the CPU it is where the program was.
  fault.count = on_gpu ? static_cast<std::uint32_t>(record.value) : 1;
  constexpr std::uint32_t kAccesses = 4;
  const bool known = on_gpu && record.flags >= 1 && record.flags <= kAccesses;
  if (known) fault.access = static_cast<std::uint8_t>(record.flags);
  rows_.faults.Add(event, fault);
}

}  // namespace xsp::live
