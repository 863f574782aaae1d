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

// Node or graph; 0 stands for work that no graph launched.
std::uint64_t UnlessZero(std::int64_t id) { return id == 0 ? kNone64 : Large(id); }

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
  const auto place = Place(event, rows_.PlaceOf(StreamOf(event)), name);
  if (!place) return;
  Kernels::Row kernel;
  if (name != given) kernel.mangled_name = given;
  kernel.grid_x = Small(event.grid[0]);
  kernel.grid_y = Small(event.grid[1]);
  kernel.grid_z = Small(event.grid[2]);
  kernel.block_x = Small(event.block[0]);
  kernel.block_y = Small(event.block[1]);
  kernel.block_z = Small(event.block[2]);
  kernel.registers = Small(event.registers);
  kernel.dynamic_shared = Small(event.shared);  // Static and dynamic together.
  kernel.graph_node = UnlessZero(event.graph_node);
  kernel.graph = UnlessZero(event.graph);
  rows_.kernels.Add(*place, kernel);
  if (event.module.empty()) return;
  rows_.kernel_modules.push_back({place->begin, place->correlation, std::string(event.module)});
}

void KinetoCollector::AddCopy(const KinetoEvent& event) {
  const auto place = Place(event, rows_.PlaceOf(StreamOf(event)));
  if (!place) return;
  const CopyName name = ParseCopyName(event.name);
  Copies::Row copy;
  if (event.bytes > 0) copy.bytes = Large(event.bytes);
  copy.copy_kind = name.kind;
  copy.source_kind = name.source;
  copy.target_kind = name.target;
  copy.count = 1;
  copy.graph_node = UnlessZero(event.graph_node);
  rows_.copies.Add(*place, copy);
}

void KinetoCollector::AddMemset(const KinetoEvent& event) {
  const auto place = Place(event, rows_.PlaceOf(StreamOf(event)));
  if (!place) return;
  Memsets::Row memset;
  if (event.bytes > 0) memset.bytes = Large(event.bytes);
  memset.memory_kind = ParseMemsetName(event.name);
  memset.graph_node = UnlessZero(event.graph_node);
  rows_.memsets.Add(*place, memset);
}

void KinetoCollector::AddCall(const KinetoEvent& event) {
  const auto place = Place(event, rows_.PlaceOf(ThreadOf(event)), texts_.Intern(event.name));
  if (!place) return;
  Calls::Row call;
  call.layer = event.category.ends_with("driver") ? ApiLayer::kDriver : ApiLayer::kRuntime;
  rows_.calls.Add(*place, call);
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
  const auto place = Place(event, rows_.PlaceOf({.kind = TrackKind::kProcess}));
  if (!place) return;
  const bool of_stream = kind->second == SyncKind::kStream || kind->second == SyncKind::kStreamWait;
  Syncs::Row sync;
  sync.sync_kind = kind->second;
  if (of_stream && event.stream >= 0) sync.stream = rows_.PlaceOf(StreamOf(event, event.stream));
  sync.context = ContextOf(event);
  sync.event = Small(event.wait_event);
  sync.event_sync = Small(event.wait_record);
  rows_.syncs.Add(*place, sync);
  if (event.wait_record > 0 && event.wait_stream >= 0) AddRecord(event);
}

// A record has no row of its own, but the wait for it says where it was: on which stream, by which
// call. The call gives its time.
void KinetoCollector::AddRecord(const KinetoEvent& wait) {
  Events::Row event;
  event.begin = wait.begin;
  event.end = wait.begin;
  event.track = rows_.PlaceOf({.kind = TrackKind::kProcess});
  event.correlation = Correlation(wait.wait_record);
  EventRecords::Row record;
  record.stream = rows_.PlaceOf(StreamOf(wait, wait.wait_stream));
  record.context = ContextOf(wait);
  record.event = Small(wait.wait_event);
  record.event_sync = Small(wait.wait_record);
  rows_.records.Add(event, record);
}

void KinetoCollector::AddMemory(const KinetoEvent& event) {
  const bool on_device = event.device_type > 0;
  KinetoTrack track{.kind = on_device ? TrackKind::kDevice : TrackKind::kProcess,
                    .process = NumberOf(event.process)};
  if (on_device) track.device = std::max<std::int64_t>(0, event.device);
  KinetoEvent moment = event;
  moment.duration = 0;
  table_ = "[memory]";
  const auto place = Place(moment, rows_.PlaceOf(track));
  if (!place) return;
  const bool frees = event.bytes != kAbsent && event.bytes < 0;
  MemoryOperations::Row memory;
  memory.operation = frees ? MemoryOperation::kFree : MemoryOperation::kAllocate;
  memory.address = Large(event.address);
  if (event.bytes != kAbsent) memory.bytes = Large(std::abs(event.bytes));
  memory.memory_kind = on_device ? MemoryKind::kDevice : MemoryKind::kPageable;
  memory.pool_bytes = Large(event.total_reserved);
  memory.pool_used_bytes = Large(event.total_allocated);
  rows_.memory.Add(*place, memory);
}

void KinetoCollector::AddOverhead(const KinetoEvent& event) {
  const bool has_process = event.process.number != kAbsent && event.process.number >= 0;
  KinetoTrack track = ThreadOf(event);
  if (!has_process) track = {.kind = TrackKind::kProcess};
  const auto place = Place(event, rows_.PlaceOf(track), texts_.Intern(event.name));
  if (!place) return;
  Overheads::Row overhead;
  overhead.overhead_type = 1;
  for (const OverheadName& known : kOverheads) {
    if (event.name.find(known.name) != event.name.npos) overhead.overhead_type = known.type;
  }
  overhead.from_cupti = 1;
  rows_.overheads.Add(*place, overhead);
}

}  // namespace xsp
