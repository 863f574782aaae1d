#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantile.h"
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

// Requests come when they come, however irregularly, and whatever the program does meanwhile.
bool IsFromOutside(const Draft& draft, TaskId task) {
  const EventId event = draft.graph.event[task];
  return event.valid() && OsCallOf(draft.trace.name(event)) == OsCall::kWait &&
         !IsSleep(draft, task) && !MayBeThread(draft, task);
}

// What a thread does when it is late. One that goes on at once has nothing to wait for then:
// between two of its waits that are two periods apart there are two rounds of its work. One that
// waits for the next time has done one; where short waits were not recorded, it may have done two
// as well.
WhenLate WhenLateOf(const Draft& draft, const std::vector<TaskId>& tasks, const Grid& grid) {
  constexpr std::size_t kFewest = 2, kOneOf = 20;
  const auto tasks_before = [&](std::size_t i) { return tasks[i].value - tasks[i - 1].value; };
  const auto beats_before = [&](std::size_t i) { return grid.beats[i] - grid.beats[i - 1]; };
  std::vector<std::uint32_t> in_time;
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    if (beats_before(i) == 1) in_time.push_back(tasks_before(i));
  }
  if (in_time.size() < kFewest) return WhenLate::kUntold;
  const std::uint32_t round = UpperMedian(in_time);
  std::size_t waited = 0, went_on = 0;
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    if (beats_before(i) != 1) ++(2 * tasks_before(i) < 3 * round ? waited : went_on);
  }
  if (waited >= kFewest && kOneOf * waited >= tasks.size()) return WhenLate::kNextTime;
  const bool are_recorded = draft.graph.event[tasks.front()].valid();
  return are_recorded && waited == 0 && went_on >= kFewest ? WhenLate::kGoesOn : WhenLate::kUntold;
}

// How much of some time the devices of a process work.
double BusyShare(const Draft& draft, ProcessId process, TimeRange time) {
  const TaskGraph& graph = draft.graph;
  std::vector<std::pair<TimeNs, TimeNs>> work;
  for (TaskId op : graph.ops()) {
    if (graph.contexts[graph.streams[graph.lane[op]].context].process != process) continue;
    const TimeRange part = time.Clip({graph.measured_begin[op], graph.measured_end[op]});
    if (!part.Empty()) work.emplace_back(part.begin, part.end);
  }
  std::sort(work.begin(), work.end());
  DurationNs busy = 0;
  TimeNs until = time.begin;
  for (const auto& [begin, end] : work) {
    busy += std::max<DurationNs>(0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return static_cast<double>(busy) / static_cast<double>(std::max<DurationNs>(1, time.Length()));
}

// Whether it may be a device whose work comes round so regularly, as one does that is never idle.
// A thread that waits for a time lets it be, unless it has more to do than fits.
bool MayBeDevice(const Draft& draft, const std::vector<TaskId>& tasks) {
  constexpr double kNeverIdle = 0.95;
  const TaskGraph& graph = draft.graph;
  const TimeRange time{graph.measured_end[tasks.front()], graph.measured_end[tasks.back()]};
  const ProcessId process = graph.threads[graph.lane[tasks.front()]].process;
  return BusyShare(draft, process, time) >= kNeverIdle;
}

Pace PaceOfWaits(const Draft& draft, const std::vector<TaskId>& tasks,
                 const std::vector<TimeRange>& times) {
  const bool may_be_thread = std::any_of(tasks.begin(), tasks.end(),
                                         [&](TaskId task) { return MayBeThread(draft, task); });
  if (may_be_thread) return PaceOnGrid(times, kFewestTicks, kSureOfTimer);
  const Pace pace = PaceOf(times, kFewestTicks, kSureOfTimer);
  const bool from_outside = std::all_of(tasks.begin(), tasks.end(),
                                        [&](TaskId task) { return IsFromOutside(draft, task); });
  const bool is_enough = from_outside && tasks.size() > kFewestTicks;
  return pace == Pace::kUnclear && is_enough ? Pace::kDeadline : pace;
}

void AddTimer(Draft& draft, std::uint32_t thread, StringId name, const std::vector<TaskId>& tasks,
              const std::vector<TimeRange>& times) {
  TaskGraph& graph = draft.graph;
  const auto row = static_cast<std::uint32_t>(graph.timers.size());
  GraphTimer timer{std::string(name.valid() ? draft.trace.strings().Get(name) : ""), thread,
                   static_cast<std::uint32_t>(tasks.size()), PeriodOf(times)};
  if (const std::optional<Grid> grid = GridOf(times)) {
    timer.when_late = WhenLateOf(draft, tasks, *grid);
    if (timer.when_late == WhenLate::kNextTime) timer.period = grid->period;
  }
  graph.timers.push_back(std::move(timer));
  for (TaskId task : tasks) {
    const auto deadline = static_cast<std::uint32_t>(graph.deadlines.size());
    graph.deadlines.push_back({row, graph.measured_end[task]});
    graph.question[task] = {Ask::kDeadline, Rule::kTimer, false, 0, deadline};
    graph.own[task] = 0;
    graph.flags[task] |= kWaited;
  }
}

}  // namespace

void AskForTimers(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (const auto& [key, tasks] : UnexplainedWaits(draft)) {
    std::vector<TimeRange> times;
    for (TaskId task : tasks)
      times.push_back({graph.measured_begin[task], graph.measured_end[task]});
    if (PeriodOf(times) < kShortestPeriod) continue;
    const Pace pace = PaceOfWaits(draft, tasks, times);
    const auto& [thread, name] = key;
    const bool all_sleep =
        std::all_of(tasks.begin(), tasks.end(), [&](TaskId task) { return IsSleep(draft, task); });
    if (pace == Pace::kDuration && all_sleep) graph.naps.push_back({thread, name});
    if (pace == Pace::kDeadline && (all_sleep || !MayBeDevice(draft, tasks)))
      AddTimer(draft, thread, name, tasks, times);
  }
}

}  // namespace xsp
