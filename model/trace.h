#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "model/details.h"
#include "model/entities.h"
#include "model/event_kind.h"
#include "model/events.h"
#include "model/ids.h"
#include "model/import_log.h"
#include "model/string_pool.h"
#include "model/trace_info.h"

namespace xsp {

// The tables of details, one per kind or group of neighbouring kinds.
using DetailTables =
    std::tuple<Kernels, Copies, Memsets, GraphSpans, Calls, Syncs, EventRecords, GraphObjects, Nvtx,
               OsrtCalls, MpiCalls, LibraryCalls, Directives, MemoryOperations, MemoryPools,
               PageFaults, Overheads, Samples, SchedEvents, GpuMetrics>;

// Which kinds share a table of details: the group is [first, last], both included. The order is
// that of DetailTables, and together the groups cover every kind once.
struct KindGroup {
  EventKind first;
  EventKind last;
};
inline constexpr std::array<KindGroup, std::tuple_size_v<DetailTables>> kKindGroups = {{
    {EventKind::kKernel, EventKind::kKernel},
    {EventKind::kMemcpy, EventKind::kMigration},
    {EventKind::kMemset, EventKind::kMemset},
    {EventKind::kGraphSpan, EventKind::kGraphSpan},
    {EventKind::kApi, EventKind::kApiBacktrace},
    {EventKind::kSync, EventKind::kSync},
    {EventKind::kEventRecord, EventKind::kEventRecord},
    {EventKind::kGraphObject, EventKind::kGraphObject},
    {EventKind::kNvtxPushPop, EventKind::kNvtxMark},
    {EventKind::kOsrt, EventKind::kOsrt},
    {EventKind::kMpi, EventKind::kMpi},
    {EventKind::kLibrary, EventKind::kLibrary},
    {EventKind::kDirective, EventKind::kDirective},
    {EventKind::kMemory, EventKind::kMemory},
    {EventKind::kMemoryPool, EventKind::kMemoryPool},
    {EventKind::kPageFault, EventKind::kPageFault},
    {EventKind::kOverhead, EventKind::kOverhead},
    {EventKind::kSample, EventKind::kSample},
    {EventKind::kSched, EventKind::kSched},
    {EventKind::kGpuMetric, EventKind::kGpuMetric},
}};

// Everything a trace holds, as plain values. Made by a TraceBuilder or read from a stored trace,
// then frozen in a Trace.
struct TraceTables {
  TraceInfo info;
  ImportLog log;
  StringPool strings;
  std::vector<Process> processes;  // By global_id.
  std::vector<Track> tracks;       // By process, kind, device, context, stream, thread.
  std::vector<Gpu> gpus;
  std::vector<Context> contexts;
  std::vector<NvtxDomain> domains;
  std::vector<NvtxCategory> categories;
  Events events;
  std::array<std::uint32_t, kEventKindCount> kind_counts{};  // Events of each kind.
  DetailTables details;
  Collectives collectives;
  Operators operators;
  Operands operands;
  Frames frames;

  bool operator==(const TraceTables&) const = default;
};

// A run of consecutive events: [first, last).
struct EventSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
  bool empty() const { return first == last; }
  bool Contains(EventId id) const { return first <= id.value && id.value < last; }

  // Makes `for (EventId e : span)` work.
  struct Iterator {
    std::uint32_t at;
    EventId operator*() const { return EventId(at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {first}; }
  Iterator end() const { return {last}; }
};

// One recorded run of a program, immutable. Cheap to move, never copied.
//
// Events of one kind stand together and are sorted by begin (ties: in the order of the source), so
// `for (EventId e : trace.OfKind(EventKind::kKernel))` walks the kernels in order of time, and
// `trace.kernels().grid_x[trace.Row(e)]` is a fact about one of them.
class Trace {
 public:
  // Checks that the tables fit together; throws Error if not (a stored trace may be damaged).
  explicit Trace(TraceTables tables);

  Trace(Trace&&) = default;
  Trace& operator=(Trace&&) = default;

  const TraceInfo& info() const { return t_.info; }
  const ImportLog& log() const { return t_.log; }
  const StringPool& strings() const { return t_.strings; }
  const std::vector<Process>& processes() const { return t_.processes; }
  const std::vector<Track>& tracks() const { return t_.tracks; }
  const std::vector<Gpu>& gpus() const { return t_.gpus; }
  const std::vector<Context>& contexts() const { return t_.contexts; }
  const std::vector<NvtxDomain>& domains() const { return t_.domains; }
  const std::vector<NvtxCategory>& categories() const { return t_.categories; }

  const Process& process(ProcessId id) const { return t_.processes[id.value]; }
  const Track& track(TrackId id) const { return t_.tracks[id.value]; }
  const NvtxDomain& domain(DomainId id) const { return t_.domains[id.value]; }

  const Events& events() const { return t_.events; }
  std::size_t event_count() const { return t_.events.begin.size(); }

  EventSpan OfKind(EventKind kind) const { return spans_[IndexOf(kind)]; }
  EventSpan DeviceWork() const { return {0, OfKind(EventKind::kGraphSpan).last}; }
  EventKind KindOf(EventId id) const;

  // The row of an event in its table of details.
  std::uint32_t Row(EventId id) const { return id.value - group_first_[IndexOf(KindOf(id))]; }
  // The same, for callers that know the kind: no search.
  std::uint32_t Row(EventId id, EventKind kind) const {
    return id.value - group_first_[IndexOf(kind)];
  }

  TimeNs begin(EventId id) const { return t_.events.begin[id.value]; }
  TimeNs end(EventId id) const { return t_.events.end[id.value]; }
  DurationNs duration(EventId id) const { return end(id) - begin(id); }
  TrackId track_of(EventId id) const { return t_.events.track[id.value]; }
  ProcessId process_of(EventId id) const { return track(track_of(id)).process; }
  StringId name_of(EventId id) const { return t_.events.name[id.value]; }
  std::string_view name(EventId id) const { return t_.strings.Get(name_of(id)); }
  EventId call_of(EventId id) const { return t_.events.call[id.value]; }

  const Kernels& kernels() const { return std::get<Kernels>(t_.details); }
  const Copies& copies() const { return std::get<Copies>(t_.details); }
  const Memsets& memsets() const { return std::get<Memsets>(t_.details); }
  const GraphSpans& graph_spans() const { return std::get<GraphSpans>(t_.details); }
  const Calls& calls() const { return std::get<Calls>(t_.details); }
  const Syncs& syncs() const { return std::get<Syncs>(t_.details); }
  const EventRecords& event_records() const { return std::get<EventRecords>(t_.details); }
  const GraphObjects& graph_objects() const { return std::get<GraphObjects>(t_.details); }
  const Nvtx& nvtx() const { return std::get<Nvtx>(t_.details); }
  const OsrtCalls& osrt() const { return std::get<OsrtCalls>(t_.details); }
  const MpiCalls& mpi() const { return std::get<MpiCalls>(t_.details); }
  const LibraryCalls& library_calls() const { return std::get<LibraryCalls>(t_.details); }
  const Directives& directives() const { return std::get<Directives>(t_.details); }
  const MemoryOperations& memory() const { return std::get<MemoryOperations>(t_.details); }
  const MemoryPools& memory_pools() const { return std::get<MemoryPools>(t_.details); }
  const PageFaults& page_faults() const { return std::get<PageFaults>(t_.details); }
  const Overheads& overheads() const { return std::get<Overheads>(t_.details); }
  const Samples& samples() const { return std::get<Samples>(t_.details); }
  const SchedEvents& sched() const { return std::get<SchedEvents>(t_.details); }
  const GpuMetrics& gpu_metrics() const { return std::get<GpuMetrics>(t_.details); }
  const Collectives& collectives() const { return t_.collectives; }

  const Operators& operators() const { return t_.operators; }
  const Operands& operands() const { return t_.operands; }
  static constexpr std::uint32_t kNoOperator = 0xffffffff;
  // The row of operators() that describes a range; kNoOperator where no framework wrote it, and for
  // all other events.
  std::uint32_t OperatorOf(EventId id) const {
    const std::uint32_t at = id.value - OfKind(EventKind::kNvtxPushPop).first;
    return at < operator_of_range_.size() ? operator_of_range_[at] : kNoOperator;
  }
  // The rows [first, last) of operands() that make up a signature; empty for none.
  std::pair<std::uint32_t, std::uint32_t> OperandsOf(SignatureId signature) const;

  const Frames& frames() const { return t_.frames; }
  // The rows [first, last) of frames() that make up a call chain, innermost first; empty for none.
  std::pair<std::uint32_t, std::uint32_t> FramesOf(ChainId chain) const;

  // All tables at once, for those who store or compare whole traces.
  const TraceTables& tables() const { return t_; }
  // The same, to change them and make another trace; this one is spent.
  TraceTables Release() && { return std::move(t_); }

  bool operator==(const Trace& other) const { return t_ == other.t_; }

 private:
  void CheckEvents() const;
  void CheckDetails() const;
  void CheckEntities() const;
  void IndexOperators();

  TraceTables t_;
  std::array<EventSpan, kEventKindCount> spans_{};
  std::array<std::uint32_t, kEventKindCount> group_first_{};
  std::vector<std::uint32_t> operator_of_range_;  // By NVTX range; empty where there are none.
};

// Kinds that a group's members belong to, for code that works on all tables of details alike:
// calls f(group, table) for each, in order.
template <class Tables, class F>
void ForEachDetailTable(Tables&& tables, F&& f) {
  std::size_t i = 0;
  std::apply([&](auto&... table) { (f(kKindGroups[i++], table), ...); }, tables);
}

}  // namespace xsp
