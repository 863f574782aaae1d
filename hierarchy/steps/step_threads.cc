#include "hierarchy/steps/step_threads.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/names/call_names.h"

namespace xsp {
namespace {

// What happens in fewer than one of so many steps is not part of a step.
constexpr std::size_t kOneOf = 8;

// Counts in how many steps something happens.
class StepCounter {
 public:
  explicit StepCounter(const std::vector<HostStep>& steps) : steps_(steps) {}

  // Something happens at a time.
  template <class Key>
  void Note(std::map<Key, std::pair<std::size_t, std::size_t>>& counts, const Key& key,
            TimeNs time) const {
    const auto after = std::partition_point(
        steps_.begin(), steps_.end(), [&](const HostStep& s) { return s.host.begin <= time; });
    if (after == steps_.begin() || time >= std::prev(after)->host.end) return;
    const auto number = static_cast<std::size_t>(after - steps_.begin());  // From 1.
    auto& [count, last] = counts[key];
    if (last == number) return;
    ++count;
    last = number;
  }
  bool IsOften(std::size_t count) const { return count * kOneOf >= steps_.size() && count > 0; }

 private:
  const std::vector<HostStep>& steps_;
};

// Which threads launch into which streams and wait for which, in steps.
class StepThreads {
 public:
  StepThreads(const Trace& trace, const LaunchedWork& launched, const std::vector<HostStep>& steps)
      : trace_(trace),
        steps_(steps),
        counter_(steps),
        process_(trace.process_of(launched.work.front())) {
    NoteLaunches(launched);
    if (threads_.size() < 2) return;
    NoteRecords();
    NoteSyncs();
  }

  std::vector<TrackId> Beside() {
    const TrackId own = steps_.front().thread;
    if (threads_.size() < 2 || !threads_.contains(own)) return {};
    for (const HostStep& step : steps_) {
      if (threads_.contains(step.thread) && !own_.contains(step.thread)) Join(step.thread);
    }
    while (JoinByStreams() || JoinByTurns()) {
    }
    std::vector<TrackId> beside;
    for (TrackId thread : threads_) {
      if (!own_.contains(thread)) beside.push_back(thread);
    }
    return waits_unrecorded_ ? std::vector<TrackId>() : beside;
  }

 private:
  using Counts = std::map<std::pair<TrackId, TrackId>, std::pair<std::size_t, std::size_t>>;

  void NoteLaunches(const LaunchedWork& launched) {
    Counts counts;
    for (EventId work : launched.work) {
      const EventId call = trace_.call_of(work);
      if (!call.valid()) continue;
      counter_.Note(counts, {trace_.track_of(call), trace_.track_of(work)}, trace_.begin(call));
    }
    for (const auto& [pair, count] : counts) {
      threads_.insert(pair.first);
      streams_.insert(pair.second);
      const Track& stream = trace_.track(pair.second);
      if (stream.flag == StreamFlag::kNull) null_streams_[stream.context] = pair.second;
      if (counter_.IsOften(count.first)) launches_.insert(pair);
    }
  }

  void NoteRecords() {
    const EventRecords& records = trace_.event_records();
    for (EventId e : trace_.OfKind(EventKind::kEventRecord)) {
      if (trace_.process_of(e) != process_) continue;
      const std::uint32_t row = trace_.Row(e, EventKind::kEventRecord);
      recorded_on_[{records.context[row], records.event[row]}].insert(records.stream[row]);
    }
  }

  // Whom a wait waits for; `by` is the stream that waits, or the thread.
  void NoteSyncs() {
    const Syncs& syncs = trace_.syncs();
    Counts counts;
    std::set<EventId> with_row;
    for (EventId e : trace_.OfKind(EventKind::kSync)) {
      const EventId call = trace_.call_of(e);
      if (trace_.process_of(e) != process_ || !call.valid()) continue;
      with_row.insert(call);
      const std::uint32_t row = trace_.Row(e, EventKind::kSync);
      const SyncKind kind = syncs.sync_kind[row];
      const TrackId by = kind == SyncKind::kStreamWait ? syncs.stream[row] : trace_.track_of(call);
      if (!by.valid()) continue;
      for (TrackId stream : WaitedFor(row)) counter_.Note(counts, {by, stream}, trace_.begin(e));
    }
    for (const auto& [pair, count] : counts) {
      if (counter_.IsOften(count.first)) waits_.insert(pair);
    }
    NoteUnrecorded(with_row);
  }

  std::vector<TrackId> WaitedFor(std::uint32_t row) const {
    const Syncs& syncs = trace_.syncs();
    switch (syncs.sync_kind[row]) {
      case SyncKind::kStream:
        return {syncs.stream[row]};
      case SyncKind::kContext:
        return {};  // For nobody in particular.
      case SyncKind::kEvent:
      case SyncKind::kStreamWait: {
        const auto it = recorded_on_.find({syncs.context[row], syncs.event[row]});
        if (it == recorded_on_.end()) return {};
        return {it->second.begin(), it->second.end()};
      }
    }
    return {};
  }

  // Calls that wait by their name and have no row: for what, nothing tells.
  void NoteUnrecorded(const std::set<EventId>& with_row) {
    std::map<TrackId, std::pair<std::size_t, std::size_t>> counts;
    std::unordered_map<StringId, bool> waits;  // By name.
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      if (trace_.process_of(call) != process_ || with_row.contains(call)) continue;
      const auto [it, is_new] = waits.try_emplace(trace_.name_of(call));
      if (is_new) it->second = WaitsByName(CallName(trace_.name(call)));
      if (it->second) counter_.Note(counts, trace_.track_of(call), trace_.begin(call));
    }
    for (const auto& [thread, count] : counts) {
      if (counter_.IsOften(count.first)) unrecorded_.insert(thread);
    }
  }

  static bool WaitsByName(std::string_view name) {
    return name.find("Synchronize") != name.npos || name.find("WaitEvent") != name.npos ||
           name == "cudaFree" || name == "cuMemFree";
  }

  void Join(TrackId thread) {
    own_.insert(thread);
    waits_unrecorded_ |= unrecorded_.contains(thread);
    for (const auto& [by, stream] : launches_) {
      if (by == thread) JoinStream(stream);
    }
    for (const auto& [by, stream] : waits_) {
      if (by == thread) JoinStream(stream);
    }
  }

  // What a stream waits for on the device belongs to it, too. The legacy default stream and
  // blocking ones wait for each other.
  void JoinStream(TrackId first) {
    std::vector<TrackId> joining = {first};
    while (!joining.empty()) {
      const TrackId stream = joining.back();
      joining.pop_back();
      if (!stream.valid() || !own_streams_.insert(stream).second) continue;
      auto it = waits_.lower_bound({stream, TrackId(0)});
      for (; it != waits_.end() && it->first == stream; ++it) joining.push_back(it->second);
      const Track& of = trace_.track(stream);
      const auto null = null_streams_.find(of.context);
      if (of.flag == StreamFlag::kBlocking && null != null_streams_.end()) {
        joining.push_back(null->second);
      }
      if (of.flag != StreamFlag::kNull) continue;
      for (TrackId other : streams_) {
        const Track& track = trace_.track(other);
        const bool is_ordered = track.flag == StreamFlag::kBlocking && track.context == of.context;
        if (is_ordered) joining.push_back(other);
      }
    }
  }

  bool JoinByStreams() {
    for (const auto& [thread, stream] : launches_) {
      if (own_.contains(thread) || !own_streams_.contains(stream)) continue;
      Join(thread);
      return true;
    }
    return false;
  }

  // Times in which a thread is in a call, in order.
  const std::vector<TimeRange>& CallsOf(TrackId thread) {
    if (calls_.empty()) {
      const TimeRange all{steps_.front().host.begin, steps_.back().host.end};
      for (TrackId of : threads_) calls_[of];
      for (EventId call : trace_.OfKind(EventKind::kApi)) {
        const auto of = calls_.find(trace_.track_of(call));
        if (of == calls_.end() || !all.Contains(trace_.begin(call))) continue;
        of->second.push_back({trace_.begin(call), trace_.end(call)});
      }
    }
    return calls_.at(thread);
  }

  // Whether the steps' own thread is silent whenever this one is in a call, though by chance it
  // would have begun a good number of calls then. One that waits in a call is not silent: it may
  // wait for anything.
  bool TakesTurns(TrackId thread) {
    constexpr double kEnoughByChance = 10, kSilent = 0.1;
    const std::vector<TimeRange>& calls = CallsOf(thread);
    const std::vector<TimeRange>& own = CallsOf(steps_.front().thread);
    DurationNs busy = 0, together = 0;
    std::size_t beside = 0;
    for (const TimeRange& call : calls) {
      busy += call.Length();
      const auto begins_before = [](const TimeRange& c, TimeNs time) { return c.begin < time; };
      const auto first = std::lower_bound(own.begin(), own.end(), call.begin, begins_before);
      const auto last = std::lower_bound(own.begin(), own.end(), call.end, begins_before);
      beside += static_cast<std::size_t>(last - first);
      if (first != own.begin()) {
        together += std::max<DurationNs>(0, call.Clip(*std::prev(first)).Length());
      }
    }
    const DurationNs all = steps_.back().host.end - steps_.front().host.begin;
    if (all <= 0) return false;
    const double by_chance =
        static_cast<double>(own.size()) * static_cast<double>(busy) / static_cast<double>(all);
    return by_chance >= kEnoughByChance && static_cast<double>(beside) < kSilent * by_chance &&
           static_cast<double>(together) < kSilent * static_cast<double>(busy);
  }

  bool JoinByTurns() {
    for (TrackId thread : threads_) {
      if (own_.contains(thread) || asked_.contains(thread)) continue;
      asked_.insert(thread);
      if (!TakesTurns(thread)) continue;
      Join(thread);
      return true;
    }
    return false;
  }

  const Trace& trace_;
  const std::vector<HostStep>& steps_;
  const StepCounter counter_;
  const ProcessId process_;
  std::set<TrackId> threads_, streams_;              // That launch, and into which, in steps.
  std::set<std::pair<TrackId, TrackId>> launches_;   // (thread, stream), in many steps.
  std::set<std::pair<TrackId, TrackId>> waits_;      // (thread or stream, stream), in many steps.
  std::map<TrackId, std::vector<TimeRange>> calls_;  // By thread; see CallsOf.
  std::set<TrackId> unrecorded_;                     // Threads with waits that no row describes.
  std::map<std::uint32_t, TrackId> null_streams_;    // By context.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<TrackId>> recorded_on_;
  std::set<TrackId> own_, own_streams_, asked_;
  bool waits_unrecorded_ = false;
};

}  // namespace

std::vector<TrackId> ThreadsBeside(const Trace& trace, const LaunchedWork& launched,
                                   const std::vector<HostStep>& steps) {
  if (steps.empty() || !steps.front().thread.valid() || launched.work.empty()) return {};
  return StepThreads(trace, launched, steps).Beside();
}

LaunchedWork WithoutThreads(const Trace& trace, LaunchedWork launched,
                            const std::vector<TrackId>& threads) {
  if (threads.empty()) return launched;
  LaunchedWork rest;
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    const EventId call = trace.call_of(launched.work[i]);
    if (call.valid() && std::binary_search(threads.begin(), threads.end(), trace.track_of(call))) {
      continue;
    }
    rest.work.push_back(launched.work[i]);
    rest.launch.push_back(launched.launch[i]);
  }
  return rest;
}

}  // namespace xsp
