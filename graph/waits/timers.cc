#include <map>
#include <string>
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

}  // namespace

void AskForTimers(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (const auto& [key, tasks] : UnexplainedWaits(draft)) {
    std::vector<TimeRange> times;
    for (TaskId task : tasks)
      times.push_back({graph.measured_begin[task], graph.measured_end[task]});
    if (PeriodOf(times) < kShortestPeriod) continue;
    if (PaceOf(times, kFewestTicks, kSureOfTimer) != Pace::kDeadline) continue;
    const auto& [thread, name] = key;
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
