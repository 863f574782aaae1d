#include "graph/trust/path_doubts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantile.h"
#include "graph/waits/os_calls.h"
#include "hierarchy/names/name_patterns.h"

namespace xsp {
namespace {

constexpr DurationNs kLongCall = 50'000;
// Work between two calls is longer only where a program does something of its own: there a sleep,
// or a wait for a thread, looks the same. Sooner where there are other threads to wait for.
constexpr DurationNs kLongSilence = 1'000'000, kLongBesideOthers = 500'000;
// A thread that launches nothing serves one that does: what it waits for is likely that one.
constexpr DurationNs kLongOfHelper = 50'000;
constexpr DurationNs kTimesUsual = 10;
// A thread that is woken up runs again sooner. What takes longer is work of its own, or a wait for
// somebody else: a hand-off that is read off silence tells neither.
constexpr DurationNs kLongHandoff = 300'000;

// System calls in which a thread does nothing but wait, and calls that wait for other ranks.
ThreadStretches WaitingCalls(const Trace& trace) {
  std::vector<EventId> calls;
  OsCalls os_calls(trace);
  for (EventId call : trace.OfKind(EventKind::kOsrt)) {
    const OsCall what = os_calls.Of(call);
    if (what == OsCall::kSleep || what == OsCall::kWait) calls.push_back(call);
  }
  for (EventId call : trace.OfKind(EventKind::kMpi)) calls.push_back(call);
  std::stable_sort(calls.begin(), calls.end(),
                   [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); });
  ThreadStretches waits;
  for (EventId call : calls) {
    waits.Add(trace.track_of(call), {trace.begin(call), trace.end(call)});
  }
  return waits;
}

bool IsCall(const TaskGraph& graph, TaskId task) {
  return task.valid() && graph.IsHost(task) && graph.kind[task] == TaskKind::kCall;
}

std::unordered_map<StringId, DurationNs> UsualCosts(const TaskGraph& graph) {
  std::unordered_map<StringId, std::vector<DurationNs>> costs;
  for (TaskId task : graph.host_tasks()) {
    if (!IsCall(graph, task) || graph.IsNew(task)) continue;
    costs[graph.trace->name_of(graph.event[task])].push_back(graph.own[task]);
  }
  std::unordered_map<StringId, DurationNs> usual;
  for (auto& [name, samples] : costs) usual[name] = UpperMedian(samples);
  return usual;
}

// Whether other threads of its process call CUDA.
bool HasOthers(const TaskGraph& graph, const GraphThread& own) {
  return std::any_of(graph.threads.begin(), graph.threads.end(), [&](const GraphThread& thread) {
    return &thread != &own && thread.calls_cuda && thread.track.valid() &&
           thread.process == own.process;
  });
}

DurationNs LongSilenceOf(const TaskGraph& graph, TaskId task) {
  return HasOthers(graph, graph.threads[graph.lane[task]]) ? kLongBesideOthers : kLongSilence;
}

// Sleeps of a thread in calls of one name that differ far more than those of a given length do:
// these may end at given times.
std::set<std::pair<std::uint32_t, StringId>> UnsteadyNaps(const TaskGraph& graph) {
  constexpr double kSteady = 0.2;
  struct Sums {
    double count = 0, sum = 0, squares = 0;
  };
  std::map<std::pair<std::uint32_t, StringId>, Sums> naps;
  for (TaskId task : graph.host_tasks()) {
    if (!graph.IsNap(task)) continue;
    Sums& of = naps[{graph.lane[task], graph.trace->name_of(graph.event[task])}];
    const auto ns = static_cast<double>(graph.measured(task));
    of.count += 1, of.sum += ns, of.squares += ns * ns;
  }
  std::set<std::pair<std::uint32_t, StringId>> unsteady;
  for (const auto& [nap, of] : naps) {
    const double mean = of.sum / of.count;
    const double variance = std::max(0.0, of.squares / of.count - mean * mean);
    if (std::sqrt(variance) > kSteady * mean) unsteady.insert(nap);
  }
  return unsteady;
}

ThreadSet LaunchingThreads(const TaskGraph& graph) {
  ThreadSet launching(graph.threads.size());
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] == TaskKind::kKernel) launching[graph.lane[graph.CallOf(op)]] = 1;
  }
  return launching;
}

bool IsHostRecorded(const Trace& trace) {
  return !trace.OfKind(EventKind::kOsrt).empty() || !trace.OfKind(EventKind::kSched).empty();
}

}  // namespace

PathDoubtFinder::PathDoubtFinder(const TaskGraph& graph)
    : classes_(*graph.trace),
      is_recorded_(IsHostRecorded(*graph.trace)),
      waits_(WaitingCalls(*graph.trace)),
      usual_(UsualCosts(graph)),
      launching_(LaunchingThreads(graph)),
      unsteady_naps_(UnsteadyNaps(graph)) {}

bool PathDoubtFinder::IsSteadyNap(const TaskGraph& graph, TaskId task) const {
  return graph.IsNap(task) &&
         unsteady_naps_.count({graph.lane[task], graph.trace->name_of(graph.event[task])}) == 0;
}

bool PathDoubtFinder::IsPoll(const TaskGraph& graph, TaskId task) const {
  return IsCall(graph, task) && classes_.Of(graph, task) == CallClass::kPoll;
}

// Launches, copies and syncs are short but for what they wait for; others are as long as others of
// their name.
bool PathDoubtFinder::IsOddlyLong(const TaskGraph& graph, TaskId task) const {
  const DurationNs own = graph.own[task];
  if (!IsCall(graph, task) || graph.IsNew(task) || own <= kLongCall) return false;
  if ((graph.flags[task] & kCold) != 0) return false;
  switch (classes_.Of(graph, task)) {
    case CallClass::kLaunch:
    case CallClass::kCopyAsync:
    case CallClass::kRecord:
    case CallClass::kStreamWait:
    case CallClass::kSyncContext:
    case CallClass::kSyncStream:
    case CallClass::kSyncEvent:
      return true;
    default:
      break;
  }
  const auto usual = usual_.find(graph.trace->name_of(graph.event[task]));
  return usual != usual_.end() && own > kTimesUsual * usual->second;
}

bool PathDoubtFinder::IsDoubtfulTimer(const TaskGraph& graph, TaskId task) const {
  if (!graph.IsHost(task) || graph.question[task].ask != Ask::kDeadline) return false;
  const EventId event = graph.event[task];
  if (!event.valid()) return HasOthers(graph, graph.threads[graph.lane[task]]);
  const std::string_view name = graph.trace->name(event);
  return OsCallOf(name) == OsCall::kWait && !MayRunOut(name);
}

DurationNs PathDoubtFinder::LongSilenceBefore(const TaskGraph& graph, TaskId task) const {
  const std::uint32_t thread = graph.lane[task];
  const bool is_helper =
      thread < launching_.size() && launching_[thread] == 0 && graph.threads[thread].track.valid();
  return is_helper ? kLongOfHelper : LongSilenceOf(graph, task);
}

DurationNs PathDoubtFinder::WaitedBefore(const TaskGraph& graph, TaskId task) const {
  const TaskId previous = graph.PreviousOf(task);
  const TrackId track = graph.threads[graph.lane[task]].track;
  if (waits_.empty() || !previous.valid() || !track.valid() || graph.IsNew(task)) return 0;
  const TimeRange time = {graph.measured_end[previous], graph.measured_begin[task]};
  return time.Empty() ? 0 : waits_.In(track, time);
}

// What a thread did between two calls, as measured, tells what the time on the path is.
void PathDoubtFinder::LookAtGap(const TaskGraph& graph, TaskId task, DurationNs ns,
                                PathDoubts& result) const {
  if (!task.valid() || !graph.IsHost(task)) return;  // Time of the host behind a device's work.
  DurationNs& of_thread = result.of_thread[graph.lane[task]];
  if (IsBetweenPolls(graph, task)) {
    result.polling += ns;
    of_thread += ns;
    return;
  }
  const DurationNs waited = std::min(ns, WaitedBefore(graph, task));
  result.waits += waited;
  of_thread += waited;
  ns -= waited;
  if (is_recorded_) return;
  if (ns >= LongSilenceOf(graph, task)) result.silence += ns;
  if (ns < LongSilenceBefore(graph, task)) return;
  of_thread += ns;
  result.told_by_silence += ns;
}

// Where system calls were not recorded, of a load from worker processes only what the shortest one
// took passes for its own work; that may be a wait as well.
void PathDoubtFinder::LookAtLoad(const TaskGraph& graph, TaskId task, DurationNs ns,
                                 PathDoubts& result) const {
  if (is_recorded_ || !graph.IsHost(task) || graph.kind[task] != TaskKind::kLoad) return;
  if (graph.IsNew(task) || !NamesLoaderWorkers(graph.trace->name(graph.event[task]))) return;
  const DurationNs own = std::min(ns, graph.own[task]);
  result.waits += own;
  result.of_thread[graph.lane[task]] += own;
}

void PathDoubtFinder::LookAt(const TaskGraph& graph, const PathSegment& piece,
                             PathDoubts& result) const {
  const DurationNs ns = piece.end - piece.begin;
  const TaskId task = piece.task;
  DurationNs* part = nullptr;
  switch (piece.kind) {
    case PathKind::kHostGap:
      return LookAtGap(graph, task, ns, result);
    case PathKind::kOffCpu:
      part = &result.waits;
      break;
    case PathKind::kThreadHandoff:
      if (ns < kLongHandoff) return;
      part = &result.waits;
      result.told_by_silence += ns;
      break;
    case PathKind::kLaunch:
    case PathKind::kCall:
    case PathKind::kAllocation:
      if (IsPoll(graph, task)) {
        part = &result.polling;
      } else if (IsOddlyLong(graph, task)) {
        part = &result.long_calls;
      }
      break;
    case PathKind::kDataLoading:
      return LookAtLoad(graph, task, ns, result);
    case PathKind::kOsWait:
      if (!graph.IsHost(task) || !IsSteadyNap(graph, task)) part = &result.waits;
      break;
    case PathKind::kTimer:
      if (!IsDoubtfulTimer(graph, task)) return;
      result.of_thread[graph.lane[task]] += ns;
      result.told_by_silence += ns;
      return;
    case PathKind::kCollective:
      if (!graph.HasPeers(task)) result.unseen_ranks += ns;
      return;
    default:
      return;
  }
  if (part == nullptr) return;
  *part += ns;
  if (graph.IsHost(task)) result.of_thread[graph.lane[task]] += ns;
}

PathDoubts PathDoubtFinder::Find(const TaskGraph& graph,
                                 const std::vector<CriticalPath>& paths) const {
  PathDoubts result;
  result.of_thread.resize(graph.threads.size());
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      const DurationNs ns = piece.end - piece.begin;
      result.total += ns;
      if (piece.task.valid() && ns > 0) LookAt(graph, piece, result);
    }
  }
  return result;
}

TaskGraph PathDoubtFinder::WithoutDoubts(const TaskGraph& graph, const ThreadSet& threads) const {
  TaskGraph free = graph;
  for (TaskId task : graph.host_tasks()) {
    if (threads[graph.lane[task]] == 0 || graph.IsNew(task)) continue;
    const bool is_wait = graph.kind[task] == TaskKind::kOsCall &&
                         graph.question[task].ask == Ask::kNothing && !IsSteadyNap(graph, task);
    if (is_wait || IsPoll(graph, task) || IsOddlyLong(graph, task)) free.own[task] = 0;
    if (IsDoubtfulTimer(graph, task)) free.question[task] = {};
    const DurationNs gap = graph.gap[task];
    const bool is_silence = !is_recorded_ && gap >= LongSilenceBefore(graph, task);
    free.gap[task] = is_silence || IsBetweenPolls(graph, task)
                         ? 0
                         : std::max<DurationNs>(0, gap - WaitedBefore(graph, task));
  }
  for (Handoff& handoff : free.handoffs) {
    const bool is_long = handoff.rule == Rule::kThreadHandoff && handoff.lag >= kLongHandoff;
    if (is_long && threads[graph.lane[handoff.task]] != 0) handoff.lag = 0;
  }
  return free;
}

}  // namespace xsp
