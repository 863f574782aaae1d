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
bool DeviceWork::Place(const RecordView<Record>& record, std::string_view table, Times* times,
                       TrackId* track, std::uint32_t* correlation) {
  if (!context_.Read(record->start, record->end, table, times)) return false;
  if (IsAfterStop(times->begin, record->correlation)) {
    ++context_.after_stop;
    return false;
  }
  *track = context_.OnDevice(TrackKind::kStream, record->device, record->context, record->stream);
  *correlation = context_.Outer(record->correlation);
  context_.Keep(table);
  return true;
}

void DeviceWork::TakeKernel(const RecordView<CuptiKernelRecord>& record) {
  using R = CuptiKernelRecord;
  Times times;
  TrackId track;
  std::uint32_t correlation = 0;
  if (!Place(record, kKernelTable, &times, &track, &correlation)) return;
  const ProcessContext::Kernel& name = context_.KernelAt(record->name);
  rows_.kernels.Add(times, track, name.full, correlation);
  Kernels& k = rows_.kernels.details;
  auto u32 = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  k.short_name.push_back(name.bare);
  k.mangled_name.push_back(name.mangled);
  k.grid_x.push_back(u32(record->grid_x));
  k.grid_y.push_back(u32(record->grid_y));
  k.grid_z.push_back(u32(record->grid_z));
  k.block_x.push_back(u32(record->block_x));
  k.block_y.push_back(u32(record->block_y));
  k.block_z.push_back(u32(record->block_z));
  k.registers.push_back(record->registers);
  k.static_shared.push_back(u32(record->static_shared));
  k.dynamic_shared.push_back(u32(record->dynamic_shared));
  k.executed_shared.push_back(record->executed_shared);
  k.local_per_thread.push_back(record->local_per_thread);
  k.launch_type.push_back(LaunchTypeOf(record->launch_type, context_));
  k.cluster_x.push_back(record.Or(&R::cluster_x, kMissing<std::uint32_t>));
  k.cluster_y.push_back(record.Or(&R::cluster_y, kMissing<std::uint32_t>));
  k.cluster_z.push_back(record.Or(&R::cluster_z, kMissing<std::uint32_t>));
  k.graph_node.push_back(UnlessZero(record->graph_node));
  k.graph.push_back(UnlessZero(record->graph));
}

void DeviceWork::TakeCopy(const RecordView<CuptiMemcpyRecord>& record) {
  using R = CuptiMemcpyRecord;
  Times times;
  TrackId track;
  std::uint32_t correlation = 0;
  if (!Place(record, kCopyTable, &times, &track, &correlation)) return;
  rows_.copies.Add(times, track, StringId(), correlation);
  Copies& c = rows_.copies.details;
  c.bytes.push_back(record->bytes);
  c.copy_kind.push_back(CopyKindOf(record->copy_kind, context_, kCopyTable));
  c.source_kind.push_back(MemoryKindOf(record->source_kind, context_, kCopyTable));
  c.target_kind.push_back(MemoryKindOf(record->target_kind, context_, kCopyTable));
  c.source_device.push_back(kMissing<std::uint32_t>);
  c.target_device.push_back(kMissing<std::uint32_t>);
  const std::uint64_t count = record.Or(&R::copy_count, std::uint64_t{1});
  c.count.push_back(count == 0 ? 1 : static_cast<std::uint32_t>(count));
  c.migration_cause.push_back(kMissing<std::uint8_t>);
  c.address.push_back(kMissing<std::uint64_t>);
  c.graph_node.push_back(UnlessZero(record->graph_node));
}

void DeviceWork::TakePeerCopy(const RecordView<CuptiPeerCopyRecord>& record) {
  Times times;
  TrackId track;
  std::uint32_t correlation = 0;
  if (!Place(record, kPeerTable, &times, &track, &correlation)) return;
  rows_.copies.Add(times, track, StringId(), correlation);
  Copies& c = rows_.copies.details;
  c.bytes.push_back(record->bytes);
  c.copy_kind.push_back(CopyKindOf(record->copy_kind, context_, kPeerTable));
  c.source_kind.push_back(MemoryKindOf(record->source_kind, context_, kPeerTable));
  c.target_kind.push_back(MemoryKindOf(record->target_kind, context_, kPeerTable));
  c.source_device.push_back(record->source_device);
  c.target_device.push_back(record->target_device);
  c.count.push_back(1);
  c.migration_cause.push_back(kMissing<std::uint8_t>);
  c.address.push_back(kMissing<std::uint64_t>);
  c.graph_node.push_back(UnlessZero(record->graph_node));
}

void DeviceWork::TakeMemset(const RecordView<CuptiMemsetRecord>& record) {
  Times times;
  TrackId track;
  std::uint32_t correlation = 0;
  if (!Place(record, kMemsetTable, &times, &track, &correlation)) return;
  rows_.memsets.Add(times, track, StringId(), correlation);
  rows_.memsets.details.bytes.push_back(record->bytes);
  rows_.memsets.details.value.push_back(record->value);
  rows_.memsets.details.memory_kind.push_back(
      MemoryKindOf(record->memory_kind, context_, kMemsetTable));
  rows_.memsets.details.graph_node.push_back(UnlessZero(record->graph_node));
}

void DeviceWork::TakeGraph(const RecordView<CuptiGraphRecord>& record) {
  Times times;
  TrackId track;
  std::uint32_t correlation = 0;
  if (!Place(record, kGraphTable, &times, &track, &correlation)) return;
  rows_.graphs.Add(times, track, StringId(), correlation);
  rows_.graphs.details.graph.push_back(UnlessZero(record->graph));
  rows_.graphs.details.graph_exec.push_back(kMissing<std::uint64_t>);
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
  Times times;
  if (!context_.Read(record.start, record.end, kUnifiedTable, &times)) return;
  const std::uint32_t device = kind == CopyKind::kUnifiedDtoH ? record.source : record.target;
  rows_.migrations.Add(times, context_.OnDevice(TrackKind::kMigration, device), StringId(), 0);
  context_.Keep(kUnifiedTable);
  Copies& c = rows_.migrations.details;
  c.bytes.push_back(record.value);
  c.copy_kind.push_back(kind);
  c.source_kind.push_back(MemoryKind::kUnknown);
  c.target_kind.push_back(MemoryKind::kUnknown);
  const bool between_devices = kind == CopyKind::kUnifiedDtoD;
  c.source_device.push_back(between_devices ? record.source : kMissing<std::uint32_t>);
  c.target_device.push_back(between_devices ? record.target : kMissing<std::uint32_t>);
  c.count.push_back(1);
  constexpr std::uint32_t kCauses = 5;
  c.migration_cause.push_back(record.flags <= kCauses ? static_cast<std::uint8_t>(record.flags)
                                                      : kMissing<std::uint8_t>);
  c.address.push_back(record.address);
  c.graph_node.push_back(kMissing<std::uint64_t>);
}

void DeviceWork::TakeFault(const CuptiUnifiedRecord& record, bool on_gpu) {
  Times times;
  const std::uint64_t end = on_gpu ? record.end : record.start;
  if (!context_.Read(record.start, end, kUnifiedTable, &times)) return;
  const TrackId track =
      on_gpu ? context_.OnDevice(TrackKind::kDevice, record.source) : context_.WholeProcess();
  rows_.faults.Add(times, track, StringId(), 0);
  context_.Keep(kUnifiedTable);
  rows_.faults.details.on_gpu.push_back(on_gpu ? 1 : 0);
  rows_.faults.details.address.push_back(record.address);
  // On the GPU the value counts faults of one group; on the CPU it is where the program was.
  rows_.faults.details.count.push_back(on_gpu ? static_cast<std::uint32_t>(record.value) : 1);
  constexpr std::uint32_t kAccesses = 4;
  const bool known = on_gpu && record.flags >= 1 && record.flags <= kAccesses;
  rows_.faults.details.access.push_back(known ? static_cast<std::uint8_t>(record.flags)
                                              : kMissing<std::uint8_t>);
}

}  // namespace xsp::live
