#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/building/chunk_merge.h"
#include "model/trace.h"

namespace xsp {

// Collects what an importer reads and makes a Trace of it.
//
// Readers of different tables may work in parallel: everything up to Build() that is marked
// [threads] may be called from several threads at once. The result does not depend on their timing:
// ids are given anew by Build(), in an order that only the content decides.
class TraceBuilder {
 public:
  // [threads] The id of a string; the same for the same text. Strings that no row of the finished
  // trace names do not reach it.
  StringId Intern(std::string_view text);

  // [threads] The same, and the builder's own copy of the text, which stays where it is.
  std::pair<StringId, std::string_view> InternView(std::string_view text);

  // [threads] The process with this global id, made if need be.
  ProcessId InternProcess(std::uint64_t global_id, std::uint32_t pid);

  // [threads] The track with this key (the fields of Track down to `stream`), made if need be.
  TrackId InternTrack(const Track& key);

  // [threads] The NVTX domain with this number in this process, made if need be.
  DomainId InternDomain(ProcessId process, std::uint64_t number);

  // [threads] Adds events of one kind with their details, row for row. Columns `call` and `flags`
  // of `events` may be left empty: nothing is linked, nothing odd. `order` sorts chunks of one kind
  // among each other; give each table its own range of numbers and count upwards in it.
  // Waits and event records may stand on any track of their process: they move to the thread of
  // their call, and records take its time.
  template <class Table>
  void Add(EventKind kind, std::uint64_t order, std::string_view source_table, Events events,
           Table details) {
    const std::size_t rows = events.begin.size();
    if (rows == 0) return;
    events.call.resize(rows);
    events.flags.resize(rows);
    Chunk<Table> chunk;
    chunk.kind = kind;
    chunk.order = order;
    chunk.source_table = source_table;
    chunk.events = std::make_unique<Events>(std::move(events));
    chunk.details = std::make_unique<Table>(std::move(details));
    std::lock_guard lock(mutex_);
    std::get<std::vector<Chunk<Table>>>(chunks_).push_back(std::move(chunk));
  }

  // [threads] The same for whoever gives the chunks of a kind and table one after the other, in
  // ascending order: they become one chunk right away, and their memory is free again. `most_rows`:
  // how many may come in all, to make room at once; 0 if that is not known.
  template <class Table>
  void Append(EventKind kind, std::uint64_t order, std::string_view source_table, Events events,
              const Table& details, std::size_t most_rows) {
    const std::size_t rows = events.begin.size();
    if (rows == 0) return;
    events.call.resize(rows);
    events.flags.resize(rows);
    // Nobody else works on this chunk now, and its tables stay where they are.
    const auto [to_events, to_details] = ChunkOf<Table>(kind, order, source_table);
    if (to_events->begin.empty()) {
      ReserveRows(*to_events, most_rows);
      ReserveRows(*to_details, most_rows);
    }
    AppendRows(*to_events, events);
    AppendRows(*to_details, details);
  }

  // [threads] Adds what a reader has to say about its rows. Call it in a fixed order, or give each
  // reader different tables: the first sample of an issue stays.
  void AddLog(const ImportLog& log);

  // The rest is for one thread, before or after the readers.
  TraceInfo& info() { return t_.info; }
  ImportLog& log() { return t_.log; }
  Process& process(ProcessId id) { return t_.processes[id.value]; }
  Track& track(TrackId id) { return t_.tracks[id.value]; }
  std::size_t track_count() const { return t_.tracks.size(); }
  NvtxDomain& domain(DomainId id) { return t_.domains[id.value]; }
  std::string_view text(StringId id) const { return t_.strings.Get(id); }
  void AddGpu(const Gpu& gpu) { t_.gpus.push_back(gpu); }
  void AddContext(const Context& context) { t_.contexts.push_back(context); }
  void AddCategory(const NvtxCategory& category) { t_.categories.push_back(category); }
  // Call chains; a chain's frames must be given together, innermost first.
  void AddFrames(const Frames& frames) { AppendRows(t_.frames, frames); }
  // What is known of collectives and operators. Until Build(), `event` holds the Nvtx::source_row
  // of the range; rows whose range is not there are dropped.
  void AddCollectives(const Collectives& rows) { AppendRows(t_.collectives, rows); }
  void AddOperators(const Operators& rows) { AppendRows(t_.operators, rows); }
  // What operators take; sorted by signature.
  void SetOperands(Operands operands) { t_.operands = std::move(operands); }
  // The source promises no order of its rows, so nothing is odd about rows out of it.
  void ExpectNoOrder() { notes_order_ = false; }

  // Merges, sorts, links work with calls, renumbers, checks. The builder is spent afterwards.
  Trace Build() &&;
  // The same, for whoever adds to the tables before they become a Trace, which checks them.
  TraceTables BuildTables() &&;

 private:
  template <class... Tables>
  static std::tuple<std::vector<Chunk<Tables>>...> ChunksOf(std::tuple<Tables...>*);
  using Chunks = decltype(ChunksOf(static_cast<DetailTables*>(nullptr)));

  // The chunk of this kind and table, made if need be.
  template <class Table>
  std::pair<Events*, Table*> ChunkOf(EventKind kind, std::uint64_t order,
                                     std::string_view source_table) {
    std::lock_guard lock(mutex_);
    auto& chunks = std::get<std::vector<Chunk<Table>>>(chunks_);
    for (const auto& chunk : chunks) {
      if (chunk.kind == kind && chunk.source_table == source_table) {
        return {chunk.events.get(), chunk.details.get()};
      }
    }
    Chunk<Table>& chunk = chunks.emplace_back();
    chunk.kind = kind;
    chunk.order = order;
    chunk.source_table = source_table;
    chunk.events = std::make_unique<Events>();
    chunk.details = std::make_unique<Table>();
    return {chunk.events.get(), chunk.details.get()};
  }

  void MergeAndLink();
  void ResolveRanges();

  std::mutex mutex_;
  bool notes_order_ = true;
  TraceTables t_;
  Chunks chunks_;
  std::map<std::uint64_t, ProcessId> process_ids_;
  std::map<
      std::tuple<TrackKind, ProcessId, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
      TrackId>
      track_ids_;
  std::map<std::pair<ProcessId, std::uint64_t>, DomainId> domain_ids_;
};

}  // namespace xsp
