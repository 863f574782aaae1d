#include "importers/merge/trace_copy.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace xsp {

struct TraceCopier::Names {
  std::vector<StringId> strings;
  std::vector<ProcessId> processes;
  std::vector<TrackId> tracks;
  std::vector<GpuId> gpus;
  std::vector<DomainId> domains;
  std::uint32_t first_chain = 0;
  std::uint32_t first_signature = 0;

  template <class Tag>
  static Id<Tag> At(const std::vector<Id<Tag>>& ids, Id<Tag> id) {
    return id.valid() ? ids[id.value] : id;
  }
  StringId operator()(StringId id) const { return At(strings, id); }
  ProcessId operator()(ProcessId id) const { return At(processes, id); }
  TrackId operator()(TrackId id) const { return At(tracks, id); }
  GpuId operator()(GpuId id) const { return At(gpus, id); }
  DomainId operator()(DomainId id) const { return At(domains, id); }
  ChainId operator()(ChainId id) const { return id.valid() ? ChainId(id.value + first_chain) : id; }
  SignatureId operator()(SignatureId id) const {
    return id.valid() ? SignatureId(id.value + first_signature) : id;
  }
};

namespace {

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;

// The rows [first, last) of a table with the builder's ids. Ids of events stay as they are.
template <class Table, class Names>
Table RenamedRows(const Table& table, std::size_t first, std::size_t last, const Names& names) {
  Table rows;
  ForEachColumn<Table>([&](const Column&, auto member) {
    const auto& from = table.*member;
    auto& to = rows.*member;
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
    using T = typename std::remove_reference_t<decltype(to)>::value_type;
    if constexpr (kIsId<T> && !std::is_same_v<T, EventId>) {
      for (T& id : to) id = names(id);
    }
  });
  return rows;
}

void Shift(std::vector<TimeNs>& times, DurationNs shift) {
  for (TimeNs& time : times) {
    if (time != kMissing<TimeNs>) time += shift;
  }
}

}  // namespace

void TraceCopier::Copy(const Trace& trace, const CopyOptions& options) {
  Names names;
  names.first_chain = chains_;
  names.first_signature = signatures_;
  CopyEntities(trace, options, names);
  CopyTracks(trace, names);
  CopyTables(trace, options, names);
  CopyEvents(trace, options, names);
  const std::vector<ChainId>& chains = trace.frames().chain;
  const std::vector<SignatureId>& signatures = trace.operands().signature;
  if (!chains.empty()) chains_ += chains.back().value + 1;
  if (!signatures.empty()) signatures_ += signatures.back().value + 1;
  source_rows_ += static_cast<std::uint32_t>(RowCount(trace.nvtx()));
  ++order_;
}

void TraceCopier::CopyEntities(const Trace& trace, const CopyOptions& options, Names& names) {
  for (std::uint32_t i = 0; i < trace.strings().size(); ++i) {
    names.strings.push_back(builder_.Intern(trace.strings()[StringId(i)]));
  }
  for (std::uint32_t i = 0; i < trace.processes().size(); ++i) {
    const Process& process = trace.processes()[i];
    const auto given = options.process_ids.find(ProcessId(i));
    const std::uint64_t id = given == options.process_ids.end() ? process.global_id : given->second;
    names.processes.push_back(builder_.InternProcess(id, process.pid));
    Process& copy = builder_.process(names.processes.back());
    if (!copy.name.valid()) copy.name = names(process.name);
    if (copy.rank == kMissing<std::uint32_t>) copy.rank = process.rank;
  }
  // Machines have GPUs that nobody used: those of several recordings would pile up.
  names.gpus.resize(trace.gpus().size());
  for (const Track& track : trace.tracks()) {
    if (!track.gpu.valid() || names.gpus[track.gpu.value].valid()) continue;
    Gpu gpu = trace.gpus()[track.gpu.value];
    for (StringId* id : {&gpu.name, &gpu.bus, &gpu.uuid, &gpu.chip}) *id = names(*id);
    builder_.AddGpu(gpu);
    names.gpus[track.gpu.value] = GpuId(gpus_++);
  }
  for (Context context : trace.contexts()) {
    context.process = names(context.process);
    builder_.AddContext(context);
  }
  for (const NvtxDomain& domain : trace.domains()) {
    const std::uint64_t number = domain.number == 0 ? 0 : domain.number + options.domain_offset;
    names.domains.push_back(builder_.InternDomain(names(domain.process), number));
    NvtxDomain& copy = builder_.domain(names.domains.back());
    if (!copy.name.valid()) copy.name = names(domain.name);
  }
  for (NvtxCategory category : trace.categories()) {
    category.domain = names(category.domain);
    category.name = names(category.name);
    builder_.AddCategory(category);
  }
}

void TraceCopier::CopyTracks(const Trace& trace, Names& names) {
  for (Track track : trace.tracks()) {
    track.process = names(track.process);
    track.gpu = names(track.gpu);
    track.name = names(track.name);
    const std::size_t before = builder_.track_count();
    const TrackId id = builder_.InternTrack(track);
    names.tracks.push_back(id);
    if (builder_.track_count() > before) continue;
    Track& known = builder_.track(id);  // Of an earlier trace, which keeps what it knows.
    if (!known.name.valid()) known.name = track.name;
    if (!known.gpu.valid()) known.gpu = track.gpu;
  }
}

void TraceCopier::CopyEvents(const Trace& trace, const CopyOptions& options, const Names& names) {
  const TraceTables& from = trace.tables();
  ForEachDetailTable(from.details, [&]<class Table>(const KindGroup& group, const Table& table) {
    const std::uint32_t group_first = trace.OfKind(group.first).first;
    for (std::size_t k = IndexOf(group.first); k <= IndexOf(group.last); ++k) {
      const auto kind = static_cast<EventKind>(k);
      const EventSpan span = trace.OfKind(kind);
      if (span.empty() || options.left_out.contains(kind)) continue;
      Events events = RenamedRows(from.events, span.first, span.last, names);
      events.call.clear();  // Linked anew.
      events.call.resize(span.size());
      Shift(events.begin, options.shift);
      Shift(events.end, options.shift);
      Table details = RenamedRows(table, span.first - group_first, span.last - group_first, names);
      if constexpr (std::is_same_v<Table, Nvtx>) {
        std::iota(details.source_row.begin(), details.source_row.end(),
                  source_rows_ + span.first - group_first);
      }
      if constexpr (std::is_same_v<Table, EventRecords>) {
        Shift(details.device_time, options.shift);
      }
      builder_.Add(kind, order_, NameOf(kind), std::move(events), std::move(details));
    }
  });
}

void TraceCopier::CopyTables(const Trace& trace, const CopyOptions&, const Names& names) {
  // Until the builder has all events, a range goes by its source row.
  const std::uint32_t first = trace.OfKind(EventKind::kNvtxPushPop).first;
  auto by_row = [&](auto rows) {
    for (EventId& event : rows.event) event = EventId(event.value - first + source_rows_);
    return rows;
  };
  const Operators& operators = trace.operators();
  const Collectives& collectives = trace.collectives();
  builder_.AddOperators(by_row(RenamedRows(operators, 0, RowCount(operators), names)));
  builder_.AddCollectives(by_row(RenamedRows(collectives, 0, RowCount(collectives), names)));
  builder_.AddFrames(RenamedRows(trace.frames(), 0, RowCount(trace.frames()), names));
  AppendRows(operands_, RenamedRows(trace.operands(), 0, RowCount(trace.operands()), names));
}

}  // namespace xsp
