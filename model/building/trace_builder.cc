#include "model/building/trace_builder.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/interrupt.h"
#include "model/building/call_linker.h"
#include "model/building/renumber.h"
#include "model/time_bounds.h"

namespace xsp {
namespace {

constexpr TimeNs kEndOfTime = std::numeric_limits<TimeNs>::max();

// Takes a mutex that others hold only for a fraction of a microsecond: tries for a while before it
// goes to sleep, which would take far longer than the wait.
std::unique_lock<std::mutex> LockBriefly(std::mutex& mutex) {
  constexpr int kTries = 1000;
  std::unique_lock lock(mutex, std::defer_lock);
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return lock;
  }
  lock.lock();
  return lock;
}

std::string RowSample(const Events& events, std::uint32_t row) {
  return "begin " + std::to_string(events.begin[row]) + " ns, correlation id " +
         std::to_string(events.correlation[row]);
}

// Links the rows of one group with their calls and notes what is odd about it.
class GroupLinker {
 public:
  GroupLinker(const CallLinker& linker, const Events& calls, std::uint32_t first_call,
              const std::vector<Track>& tracks, ImportLog& log)
      : linker_(linker), calls_(calls), first_call_(first_call), tracks_(tracks), log_(log) {}

  void Link(Events& events, std::uint32_t row, std::string_view table) {
    if (events.correlation[row] == 0) return;
    const TimeNs begin = events.begin[row];
    const ProcessId process = tracks_[events.track[row].value].process;
    const CallLinker::Link link = linker_.Find(process, events.correlation[row], begin);
    if (!link.found()) {
      Note(table, ImportReason::kUnlinked, events, row);
      return;
    }
    events.call[row] = EventId(first_call_ + link.row);
    if (link.ambiguous) Note(table, ImportReason::kAmbiguousCall, events, row);
    if (begin < calls_.begin[link.row]) Note(table, ImportReason::kBeforeCall, events, row);
  }

  // Waits happen on the thread that called.
  void MoveToThread(Events& events, std::uint32_t row) const {
    const EventId call = events.call[row];
    if (call.valid()) events.track[row] = calls_.track[call.value - first_call_];
  }

  // A record has no time of its own: its time is that of its call. False if there is no such call.
  bool PlaceRecord(Events& records, std::uint32_t row) const {
    const ProcessId process = tracks_[records.track[row].value].process;
    const CallLinker::Link link = linker_.Find(process, records.correlation[row], kEndOfTime);
    if (!link.found()) return false;
    records.call[row] = EventId(first_call_ + link.row);
    records.begin[row] = calls_.begin[link.row];
    records.end[row] = calls_.end[link.row];
    records.track[row] = calls_.track[link.row];
    return true;
  }

 private:
  void Note(std::string_view table, ImportReason reason, const Events& events, std::uint32_t row) {
    std::string sample = log_.HasSample(table, reason) ? std::string() : RowSample(events, row);
    log_.AddIssue(table, reason, std::move(sample));
  }

  const CallLinker& linker_;
  const Events& calls_;
  const std::uint32_t first_call_;
  const std::vector<Track>& tracks_;
  ImportLog& log_;
};

// Merges one group and sorts it by begin; rows out of order go to the log, if there is one.
template <class Table>
MergedEvents MergeSorted(std::vector<Chunk<Table>>& chunks, Table& details, ImportLog* log) {
  MergedEvents merged = MergeChunks(chunks, details);
  if (const auto order = OrderByBegin(merged); !order.empty()) {
    PermuteRows(merged.events, order);
    PermuteRows(details, order);
  }
  if (log == nullptr) return merged;
  for (const auto& [table, rows] : merged.out_of_order) {
    log->AddIssue(table.first, ImportReason::kOutOfOrder,
                  std::string(NameOf(table.second)) + " rows", rows);
  }
  return merged;
}

// The process of each call, without the backtrace copies that follow the calls in their group.
std::vector<ProcessId> ProcessOfCalls(const MergedEvents& calls, const std::vector<Track>& tracks) {
  std::uint32_t count = 0;
  for (const auto& [kind, rows] : calls.kind_counts) {
    if (kind == EventKind::kApi) count = rows;
  }
  std::vector<ProcessId> process(count);
  for (std::uint32_t row = 0; row < count; ++row) {
    process[row] = tracks[calls.events.track[row].value].process;
  }
  return process;
}

// The call chain of a call stands in its second row only: copies it to the call itself.
void CopyChains(const MergedEvents& calls, Calls& details, const CallLinker& by_id,
                const std::vector<Track>& tracks) {
  std::uint32_t copy = 0;
  for (const auto& [kind, rows] : calls.kind_counts) {
    if (kind == EventKind::kApi) copy = rows;
  }
  for (; copy < calls.events.begin.size(); ++copy) {
    const ProcessId process = tracks[calls.events.track[copy].value].process;
    // The second row is the wider one: its call began before it ended.
    const CallLinker::Link call =
        by_id.Find(process, calls.events.correlation[copy], calls.events.end[copy]);
    if (!call.found() || details.chain[call.row].valid()) continue;
    details.chain[call.row] = details.chain[copy];
  }
}

// Puts records where and when they were called; those without a call are set aside.
void PlaceRecords(MergedEvents& records, EventRecords& details, const GroupLinker& linker,
                  ImportLog& log) {
  std::vector<std::uint32_t> placed;
  for (std::uint32_t row = 0; row < records.events.begin.size(); ++row) {
    if (linker.PlaceRecord(records.events, row)) {
      placed.push_back(row);
    } else {
      log.SetAside(records.source_table, ImportReason::kRecordWithoutCall,
                   RowSample(records.events, row), 1);
    }
  }
  PermuteRows(records.events, placed);
  PermuteRows(details, placed);
  if (!records.kind_counts.empty()) {
    records.kind_counts.front().second = static_cast<std::uint32_t>(placed.size());
  }
  // The order of records is the order of their calls: nothing is odd if the source had another.
  if (const auto order = OrderByBegin(records); !order.empty()) {
    PermuteRows(records.events, order);
    PermuteRows(details, order);
  }
}

// Links device work and waits with their calls.
void LinkEvents(const KindGroup& group, MergedEvents& merged, GroupLinker& linker) {
  const bool is_sync = group.first == EventKind::kSync;
  if (!IsDeviceWork(group.first) && !is_sync) return;
  for (std::uint32_t row = 0; row < merged.events.begin.size(); ++row) {
    linker.Link(merged.events, row, merged.source_table);
    if (is_sync) linker.MoveToThread(merged.events, row);
  }
}

// How many rows wait in the chunks of the kinds that `wanted` accepts.
template <class Chunks, class Wanted>
std::size_t CountRows(const Chunks& chunks, Wanted wanted) {
  std::size_t count = 0;
  auto add = [&](const auto& list) {
    for (const auto& chunk : list) {
      if (wanted(chunk.kind)) count += chunk.events->begin.size();
    }
  };
  std::apply([&](const auto&... list) { (add(list), ...); }, chunks);
  return count;
}

// Takes out the rows that lie absurdly far from all others: totals must not overflow.
template <class... Tables>
void SetAsideFarRows(std::tuple<std::vector<Chunk<Tables>>...>& chunks, ImportLog& log) {
  std::vector<const EventChunk*> heads;
  const auto add = [&](const auto& list) {
    for (const EventChunk& chunk : list) heads.push_back(&chunk);
  };
  std::apply([&](const auto&... list) { (add(list), ...); }, chunks);
  const std::optional<TimeRange> bounds = BoundsOf(heads);
  if (!bounds) return;
  const auto cut = [&](auto& list) {
    for (auto& chunk : list) {
      const std::vector<std::uint32_t> rows = RowsWithin(*bounds, chunk, log);
      PermuteRows(*chunk.events, rows);
      PermuteRows(*chunk.details, rows);
    }
  };
  std::apply([&](auto&... list) { (cut(list), ...); }, chunks);
}

// Which event a row of the source's table of ranges has become.
struct RangeOfRow {
  std::uint32_t source_row;
  EventId event;
};

// Turns source rows in the column `event` of a table into events, and sorts the table by them.
template <class Table>
void ResolveEvents(Table& table, const std::vector<RangeOfRow>& by_row) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < table.event.size(); ++i) {
    EventId& event = table.event[i];
    const auto range =
        std::lower_bound(by_row.begin(), by_row.end(), event.value,
                         [](const RangeOfRow& r, std::uint32_t row) { return r.source_row < row; });
    const bool found = range != by_row.end() && range->source_row == event.value;
    event = found ? range->event : EventId();
    if (found) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return table.event[a] < table.event[b];
  });
  PermuteRows(table, order);
}

}  // namespace

StringId TraceBuilder::Intern(std::string_view text) {
  const auto lock = LockBriefly(mutex_);
  return t_.strings.Intern(text);
}

std::pair<StringId, std::string_view> TraceBuilder::InternView(std::string_view text) {
  const auto lock = LockBriefly(mutex_);
  const StringId id = t_.strings.Intern(text);
  return {id, t_.strings[id]};
}

ProcessId TraceBuilder::InternProcess(std::uint64_t global_id, std::uint32_t pid) {
  std::lock_guard lock(mutex_);
  auto [it, added] = process_ids_.try_emplace(global_id, ProcessId(t_.processes.size()));
  if (added) t_.processes.push_back({.global_id = global_id, .pid = pid});
  return it->second;
}

TrackId TraceBuilder::InternTrack(const Track& key) {
  std::lock_guard lock(mutex_);
  auto [it, added] = track_ids_.try_emplace(
      std::tuple(key.kind, key.process, key.thread, key.device, key.context, key.stream),
      TrackId(t_.tracks.size()));
  if (added) t_.tracks.push_back(key);
  return it->second;
}

DomainId TraceBuilder::InternDomain(ProcessId process, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  auto [it, added] =
      domain_ids_.try_emplace(std::pair(process, number), DomainId(t_.domains.size()));
  if (added) t_.domains.push_back({process, number, {}});
  return it->second;
}

void TraceBuilder::AddLog(const ImportLog& log) {
  std::lock_guard lock(mutex_);
  t_.log.Merge(log);
}

void TraceBuilder::MergeAndLink() {
  const std::size_t total = CountRows(chunks_, [](EventKind) { return true; });
  // Calls first: everything else is linked with them. Device work stands before them in the trace
  // and keeps all its rows, so the calls' ids are known now.
  const auto first_call = static_cast<std::uint32_t>(CountRows(chunks_, IsDeviceWork));
  ImportLog* const order_log = notes_order_ ? &t_.log : nullptr;
  MergedEvents calls = MergeSorted(std::get<std::vector<Chunk<Calls>>>(chunks_),
                                   std::get<Calls>(t_.details), order_log);
  const CallLinker by_id(calls.events, ProcessOfCalls(calls, t_.tracks));
  CopyChains(calls, std::get<Calls>(t_.details), by_id, t_.tracks);
  GroupLinker linker(by_id, calls.events, first_call, t_.tracks, t_.log);

  Events all;
  ReserveRows(all, total);
  auto append = [&](const MergedEvents& merged) {
    for (const auto& [kind, count] : merged.kind_counts) t_.kind_counts[IndexOf(kind)] += count;
    AppendRows(all, merged.events);
  };
  ForEachDetailTable(t_.details, [&]<class Table>(const KindGroup& group, Table& details) {
    CheckInterrupt();
    auto& chunks = std::get<std::vector<Chunk<Table>>>(chunks_);
    if constexpr (std::is_same_v<Table, Calls>) {
      append(calls);
    } else if constexpr (std::is_same_v<Table, EventRecords>) {
      MergedEvents records = MergeChunks(chunks, details);
      PlaceRecords(records, details, linker, t_.log);
      append(records);
    } else {
      MergedEvents merged = MergeSorted(chunks, details, order_log);
      LinkEvents(group, merged, linker);
      append(merged);
    }
  });
  t_.events = std::move(all);
}

void TraceBuilder::ResolveRanges() {
  if (t_.collectives.event.empty() && t_.operators.event.empty()) return;
  const std::uint32_t first = std::accumulate(
      t_.kind_counts.begin(), t_.kind_counts.begin() + IndexOf(EventKind::kNvtxPushPop), 0u);
  const auto& source_rows = std::get<Nvtx>(t_.details).source_row;
  std::vector<RangeOfRow> ranges;
  ranges.reserve(source_rows.size());
  for (std::uint32_t i = 0; i < source_rows.size(); ++i) {
    ranges.push_back({source_rows[i], EventId(first + i)});
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const RangeOfRow& a, const RangeOfRow& b) {
    return a.source_row < b.source_row;
  });
  ResolveEvents(t_.collectives, ranges);
  ResolveEvents(t_.operators, ranges);
}

Trace TraceBuilder::Build() && { return Trace(std::move(*this).BuildTables()); }

TraceTables TraceBuilder::BuildTables() && {
  SetAsideFarRows(chunks_, t_.log);
  CheckInterrupt();
  MergeAndLink();
  CheckInterrupt();
  ResolveRanges();
  CheckInterrupt();
  Renumber(t_);
  CheckInterrupt();
  return std::move(t_);
}

}  // namespace xsp
