#include "graph/trust/path_doubts.h"

#include <algorithm>

#include "base/quantile.h"
#include "graph/waits/os_calls.h"

namespace xsp {
namespace {

constexpr DurationNs kLongCall = 50'000;
// Work between two calls is longer only where a program does something of its own: there a sleep,
// or a wait for a thread, looks the same. Sooner where there are other threads to wait for.
constexpr DurationNs kLongSilence = 1'000'000, kLongBesideOthers = 500'000;
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

DurationNs LongSilenceOf(const TaskGraph& graph, TaskId task) {
  const GraphThread& own = graph.threads[graph.lane[task]];
  const bool has_others =
      std::any_of(graph.threads.begin(), graph.threads.end(), [&](const GraphThread& thread) {
        return &thread != &own && thread.calls_cuda && thread.track.valid() &&
               thread.process == own.process;
      });
  return has_others ? kLongBesideOthers : kLongSilence;
}

bool IsHostRecorded(const Trace& trace) {
  return !trace.OfKind(EventKind::kOsrt).empty() || !trace.OfKind(EventKind::kSched).empty();
}

}  // namespace

PathDoubtFinder::PathDoubtFinder(const TaskGraph& graph)
    : classes_(*graph.trace),
      is_recorded_(IsHostRecorded(*graph.trace)),
      waits_(WaitingCalls(*graph.trace)),
      usual_(UsualCosts(graph)) {}

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
  const TaskId previous = graph.PreviousOf(task);
  if (IsPoll(graph, task) && IsPoll(graph, previous)) {
    result.polling += ns;
    return;
  }
  const DurationNs waited = std::min(ns, WaitedBefore(graph, task));
  result.waits += waited;
  ns -= waited;
  if (!is_recorded_ && ns >= LongSilenceOf(graph, task)) result.silence += ns;
}

PathDoubts PathDoubtFinder::Find(const TaskGraph& graph,
                                 const std::vector<CriticalPath>& paths) const {
  PathDoubts result;
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      const DurationNs ns = piece.end - piece.begin;
      result.total += ns;
      if (!piece.task.valid() || ns <= 0) continue;
      switch (piece.kind) {
        case PathKind::kHostGap:
          LookAtGap(graph, piece.task, ns, result);
          break;
        case PathKind::kOffCpu:
          result.waits += ns;
          break;
        case PathKind::kThreadHandoff:
          if (ns >= kLongHandoff) result.waits += ns;
          break;
        case PathKind::kLaunch:
        case PathKind::kCall:
        case PathKind::kAllocation:
          if (IsPoll(graph, piece.task)) {
            result.polling += ns;
          } else if (IsOddlyLong(graph, piece.task)) {
            result.long_calls += ns;
          }
          break;
        case PathKind::kOsWait:
          if (!graph.IsHost(piece.task) || !graph.IsNap(piece.task)) result.waits += ns;
          break;
        case PathKind::kCollective:
          if (!graph.HasPeers(piece.task)) result.unseen_ranks += ns;
          break;
        default:
          break;
      }
    }
  }
  return result;
}

}  // namespace xsp
