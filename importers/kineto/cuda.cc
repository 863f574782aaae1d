#include <algorithm>
#include <iterator>
#include <string>

#include "base/demangle.h"
#include "importers/kineto/collector.h"
#include "importers/kineto/places.h"
#include "importers/kineto/text.h"

// The CUDA side of a Kineto file: device work, calls, waits, memory, the profiler's own time.
namespace xsp {
namespace {

struct OverheadName {
  std::string_view name;
  std::uint8_t type;  // As Overheads::overhead_type.
};
constexpr OverheadName kOverheads[] = {{"Driver Compiler", 2},    {"Buffer Flush", 3},
                                       {"Instrumentation", 4},    {"Resource", 5},
                                       {"Module Loading", 6},     {"Lazy Function Loading", 7},
                                       {"Command Buffer Full", 8}};

}  // namespace

// ROCm gives the names of some kernels as in the object file.
StringId KinetoCollector::PlainName(std::string_view name, StringId given) {
  if (!name.starts_with("_Z")) return given;
  const auto [known, is_new] = plain_names_.try_emplace(given, given);
  if (is_new) known->second = texts_.Intern(Demangled(name));
  return known->second;
}

void KinetoCollector::AddKernel(const KinetoEvent& event) {
  const StringId given = texts_.Intern(event.name);
  const StringId name = PlainName(event.name, given);
  if (!AddTimes(event, rows_.PlaceOf(StreamOf(event)), name, rows_.kernels.events)) return;
  Kernels& k = rows_.kernels.details;
  k.short_name.emplace_back();
  k.mangled_name.push_back(name == given ? StringId() : given);
  k.grid_x.push_back(Small(event.grid[0]));
  k.grid_y.push_back(Small(event.grid[1]));
  k.grid_z.push_back(Small(event.grid[2]));
  k.block_x.push_back(Small(event.block[0]));
  k.block_y.push_back(Small(event.block[1]));
  k.block_z.push_back(Small(event.block[2]));
  k.registers.push_back(Small(event.registers));
  k.static_shared.push_back(kNone32);
  k.dynamic_shared.push_back(Small(event.shared));  // Both together.
  k.executed_shared.push_back(kNone32);
  k.local_per_thread.push_back(kNone32);
  k.launch_type.push_back(kMissing<std::uint8_t>);
  k.cluster_x.push_back(kNone32);
  k.cluster_y.push_back(kNone32);
  k.cluster_z.push_back(kNone32);
  // 0 stands for a kernel that no graph launched.
  k.graph_node.push_back(event.graph_node > 0 ? Large(event.graph_node) : kNone64);
  k.graph.push_back(event.graph > 0 ? Large(event.graph) : kNone64);
}

void KinetoCollector::AddCopy(const KinetoEvent& event) {
  if (!AddTimes(event, rows_.PlaceOf(StreamOf(event)), {}, rows_.copies.events)) return;
  const CopyName name = ParseCopyName(event.name);
  Copies& c = rows_.copies.details;
  c.bytes.push_back(event.bytes < 0 ? 0 : Large(event.bytes));
  c.copy_kind.push_back(name.kind);
  c.source_kind.push_back(name.source);
  c.target_kind.push_back(name.target);
  c.source_device.push_back(kNone32);
  c.target_device.push_back(kNone32);
  c.count.push_back(1);
  c.migration_cause.push_back(kMissing<std::uint8_t>);
  c.address.push_back(kNone64);
  c.graph_node.push_back(event.graph_node > 0 ? Large(event.graph_node) : kNone64);
}

void KinetoCollector::AddMemset(const KinetoEvent& event) {
  if (!AddTimes(event, rows_.PlaceOf(StreamOf(event)), {}, rows_.memsets.events)) return;
  Memsets& m = rows_.memsets.details;
  m.bytes.push_back(event.bytes < 0 ? 0 : Large(event.bytes));
  m.value.push_back(0);
  m.memory_kind.push_back(ParseMemsetName(event.name));
  m.graph_node.push_back(event.graph_node > 0 ? Large(event.graph_node) : kNone64);
}

void KinetoCollector::AddCall(const KinetoEvent& event) {
  const TrackId track = rows_.PlaceOf(ThreadOf(event));
  if (!AddTimes(event, track, texts_.Intern(event.name), rows_.calls.events)) return;
  const bool is_driver = event.category.ends_with("driver");
  rows_.calls.details.layer.push_back(is_driver ? ApiLayer::kDriver : ApiLayer::kRuntime);
  rows_.calls.details.return_value.push_back(0);
  rows_.calls.details.chain.emplace_back();
}

void KinetoCollector::AddSync(const KinetoEvent& event) {
  constexpr std::pair<std::string_view, SyncKind> kKinds[] = {
      {"Context", SyncKind::kContext},
      {"Stream Wait", SyncKind::kStreamWait},
      {"Stream", SyncKind::kStream},
      {"Event", SyncKind::kEvent},
  };
  const std::string_view word = event.sync_kind.empty() ? event.name : event.sync_kind;
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const auto& k) { return word.starts_with(k.first); });
  if (kind == std::end(kKinds)) return Unused(event);
  // Until its call is known, the wait stands beside the process's own events.
  const TrackId track = rows_.PlaceOf({.kind = TrackKind::kProcess});
  if (!AddTimes(event, track, {}, rows_.syncs.events)) return;
  const bool of_stream = kind->second == SyncKind::kStream || kind->second == SyncKind::kStreamWait;
  Syncs& s = rows_.syncs.details;
  s.sync_kind.push_back(kind->second);
  s.stream.push_back(of_stream && event.stream >= 0 ? rows_.PlaceOf(StreamOf(event, event.stream))
                                                    : TrackId());
  s.context.push_back(ContextOf(event));
  s.event.push_back(Small(event.wait_event));
  s.event_sync.push_back(Small(event.wait_record));
  if (event.wait_record > 0 && event.wait_stream >= 0) AddRecord(event);
}

// A record has no row of its own, but the wait for it says where it was: on which stream, by which
// call. The call gives its time.
void KinetoCollector::AddRecord(const KinetoEvent& wait) {
  Events& events = rows_.records.events;
  events.begin.push_back(wait.begin);
  events.end.push_back(wait.begin);
  events.track.push_back(rows_.PlaceOf({.kind = TrackKind::kProcess}));
  events.name.emplace_back();
  events.correlation.push_back(Correlation(wait.wait_record));
  events.flags.push_back(0);
  EventRecords& r = rows_.records.details;
  r.stream.push_back(rows_.PlaceOf(StreamOf(wait, wait.wait_stream)));
  r.context.push_back(ContextOf(wait));
  r.event.push_back(Small(wait.wait_event));
  r.event_sync.push_back(Small(wait.wait_record));
  r.device_time.push_back(kMissing<TimeNs>);
}

void KinetoCollector::AddMemory(const KinetoEvent& event) {
  const bool on_device = event.device_type > 0;
  KinetoTrack track{.kind = on_device ? TrackKind::kDevice : TrackKind::kProcess,
                    .process = NumberOf(event.process)};
  if (on_device) track.device = std::max<std::int64_t>(0, event.device);
  KinetoEvent moment = event;
  moment.duration = 0;
  table_ = "[memory]";
  if (!AddTimes(moment, rows_.PlaceOf(track), {}, rows_.memory.events)) return;
  const bool frees = event.bytes != kAbsent && event.bytes < 0;
  MemoryOperations& m = rows_.memory.details;
  m.operation.push_back(frees ? MemoryOperation::kFree : MemoryOperation::kAllocate);
  m.address.push_back(Large(event.address));
  m.bytes.push_back(event.bytes == kAbsent ? kNone64 : Large(std::abs(event.bytes)));
  m.memory_kind.push_back(on_device ? MemoryKind::kDevice : MemoryKind::kPageable);
  m.pool.push_back(kNone64);
  m.pool_bytes.push_back(Large(event.total_reserved));
  m.pool_used_bytes.push_back(Large(event.total_allocated));
}

void KinetoCollector::AddOverhead(const KinetoEvent& event) {
  const bool has_process = event.process.number != kAbsent && event.process.number >= 0;
  KinetoTrack track = ThreadOf(event);
  if (!has_process) track = {.kind = TrackKind::kProcess};
  if (!AddTimes(event, rows_.PlaceOf(track), texts_.Intern(event.name), rows_.overheads.events)) {
    return;
  }
  std::uint8_t type = 1;
  for (const OverheadName& known : kOverheads) {
    if (event.name.find(known.name) != event.name.npos) type = known.type;
  }
  rows_.overheads.details.overhead_type.push_back(type);
  rows_.overheads.details.from_cupti.push_back(1);
}

}  // namespace xsp
