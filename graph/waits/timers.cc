#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/waits/os_calls.h"
#include "graph/waits/pace.h"

// Waits that end at given times, whatever the program did before: the next frame of a game, of a
// camera, a request. A step that waits for a time does not get shorter when its work does. A sleep
// whose length is given is no such wait: it stays as long as it is.
namespace xsp {
namespace {

constexpr std::size_t kFewestTicks = 4;
constexpr double kSureOfTimer = 2;
// What comes more often than this no timer of an operating system can keep.
constexpr DurationNs kShortestPeriod = 100'000;

// Waits of one thread in calls of one name that no other thread is known to end, in order.
using Waits = std::map<std::pair<std::uint32_t, StringId>, std::vector<TaskId>>;

// A silence, too; but no signal, and no call of MPI, whose waits other ranks end.
bool MayWaitForTime(const Trace& trace, EventId event, OsCalls& calls) {
  return trace.OfKind(EventKind::kOsrt).Contains(event) && calls.Of(event) != OsCall::kSignal;
}

Waits UnexplainedWaits(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  OsCalls calls(draft.trace);
  Waits waits;
  for (TaskId task : graph.host_tasks()) {
    if (graph.kind[task] != TaskKind::kOsCall || graph.question[task].ask != Ask::kNothing)
      continue;
    const EventId event = graph.event[task];
    if (event.valid() && !MayWaitForTime(draft.trace, event, calls)) continue;
    waits[{graph.lane[task], draft.NameOf(task)}].push_back(task);
  }
  return waits;
}

// Whether nobody else can have ended a wait.
bool IsSleep(const Draft& draft, TaskId task) {
  const EventId event = draft.graph.event[task];
  return event.valid() &&
         (draft.ran_out.count(event) > 0 || OsCallOf(draft.trace.name(event)) == OsCall::kSleep);
}

// Whether another thread of the program may have ended a wait: one that waits for a device comes as
// regularly as a timer. Files and sockets are ended from outside.
bool MayBeThread(const Draft& draft, TaskId task) {
  const EventId event = draft.graph.event[task];
  if (!event.valid() || IsSleep(draft, task)) return false;
  const std::string_view name = draft.trace.name(event);
  return name.starts_with("pthread_") || name.starts_with("sem_") || name == "futex";
}

}  // namespace

void AskForTimers(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (const auto& [key, tasks] : UnexplainedWaits(draft)) {
    std::vector<TimeRange> times;
    for (TaskId task : tasks)
      times.push_back({graph.measured_begin[task], graph.measured_end[task]});
    if (PeriodOf(times) < kShortestPeriod) continue;
    const bool may_be_thread = std::any_of(tasks.begin(), tasks.end(),
                                           [&](TaskId task) { return MayBeThread(draft, task); });
    const Pace pace = may_be_thread ? PaceOnGrid(times, kFewestTicks, kSureOfTimer)
                                    : PaceOf(times, kFewestTicks, kSureOfTimer);
    const auto& [thread, name] = key;
    const bool all_sleep =
        std::all_of(tasks.begin(), tasks.end(), [&](TaskId task) { return IsSleep(draft, task); });
    if (pace == Pace::kDuration && all_sleep) graph.naps.push_back({thread, name});
    if (pace != Pace::kDeadline) continue;
    const auto timer = static_cast<std::uint32_t>(graph.timers.size());
    graph.timers.push_back({std::string(name.valid() ? draft.trace.strings().Get(name) : ""),
                            thread, static_cast<std::uint32_t>(tasks.size()), PeriodOf(times)});
    for (TaskId task : tasks) {
      const auto row = static_cast<std::uint32_t>(graph.deadlines.size());
      graph.deadlines.push_back({timer, graph.measured_end[task]});
      graph.question[task] = {Ask::kDeadline, Rule::kTimer, false, 0, row};
      graph.own[task] = 0;
      graph.flags[task] |= kWaited;
    }
  }
}

}  // namespace xsp
