#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "graph/draft.h"
#include "graph/waits/mpi_calls.h"

// Ranks that wait for each other in MPI. A call is two tasks: when the rank has come to it, which
// others may wait for, and the call itself. A rank that gets faster waits longer for the others.
namespace xsp {
namespace {

// The tasks of an MPI call: it has come; it is over. The latter none where the call has CUDA calls
// inside.
struct MpiTasks {
  TaskId came;
  TaskId over;
};

MpiTasks TasksOf(const Draft& draft, EventId call) {
  const auto came = draft.task_of_os.find(call);
  if (came == draft.task_of_os.end()) return {};
  const TaskId over = Next(came->second);
  const bool is_there = draft.graph.IsHost(over) && draft.graph.event[over] == call;
  return {came->second, is_there ? over : TaskId()};
}

// A call whose others are all tasks of the graph.
struct KnownWait {
  TaskId task;
  std::vector<TaskId> others;
  TimeNs last = 0;  // When the last of them came.
  bool is_message = false;
};

std::vector<KnownWait> KnownWaits(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  std::vector<KnownWait> known;
  for (const MpiWait& wait : FindMpiWaits(draft.trace, MpiCallsOf(draft.trace))) {
    KnownWait found{TasksOf(draft, wait.call).over, {}, 0, wait.is_message};
    if (!found.task.valid() || wait.others.empty()) continue;
    for (EventId other : wait.others) {
      const TaskId came = TasksOf(draft, other).came;
      if (!came.valid()) break;
      found.others.push_back(came);
      found.last = std::max(found.last, graph.measured_begin[came]);
    }
    const bool is_whole = found.others.size() == wait.others.size();
    if (is_whole && found.last <= graph.measured_end[found.task]) known.push_back(std::move(found));
  }
  return known;
}

// What a message needs to come, and what a call costs that finds it there.
struct MessageTimes {
  DurationNs transfer = 0;
  DurationNs cost = 0;
};

MessageTimes TimesOfMessages(const TaskGraph& graph, const std::vector<KnownWait>& waits) {
  constexpr DurationNs kDefaultCost = 2'000;
  Latencies transfers, costs;
  for (const KnownWait& wait : waits) {
    if (!wait.is_message) continue;
    const bool waited = wait.last > graph.measured_begin[wait.task];
    (waited ? transfers : costs)
        .push_back(waited ? graph.measured_end[wait.task] - wait.last : graph.measured(wait.task));
  }
  // Of calls that began while the message was on its way nobody knows: the lower quarter is safe.
  return {UpperMedian(transfers), costs.empty() ? kDefaultCost : NthOf(costs, costs.size() / 4)};
}

}  // namespace

void AddMpiTasks(const Trace& trace, OsWaits& waits) {
  std::vector<std::vector<OsTask>> by_track(waits.tasks.size());
  for (const MpiCall& call : MpiCallsOf(trace)) {
    std::vector<OsTask>& tasks = by_track[call.track.value];
    const TimeRange time{trace.begin(call.event), trace.end(call.event)};
    if (!tasks.empty() && time.begin < tasks.back().time.end) continue;  // Inside another one.
    tasks.push_back({call.event, {time.begin, time.begin}});
    tasks.push_back({call.event, time});
  }
  for (std::size_t i = 0; i < by_track.size(); ++i) {
    std::vector<OsTask>& mpi = by_track[i];
    if (mpi.empty()) continue;
    // What the library does while it waits is a part of the call.
    auto next = mpi.begin();
    std::vector<OsTask> others;
    for (const OsTask& task : waits.tasks[i]) {
      while (next != mpi.end() && next->time.end <= task.time.begin) ++next;
      if (next == mpi.end() || task.time.end <= next->time.begin) others.push_back(task);
    }
    waits.tasks[i].clear();
    std::merge(mpi.begin(), mpi.end(), others.begin(), others.end(),
               std::back_inserter(waits.tasks[i]),
               [](const OsTask& a, const OsTask& b) { return a.time.begin < b.time.begin; });
  }
}

void AskForMpi(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const std::vector<KnownWait> waits = KnownWaits(draft);
  const MessageTimes messages = TimesOfMessages(graph, waits);
  for (const KnownWait& wait : waits) {
    const bool waited = wait.last > graph.measured_begin[wait.task];
    // When all have come to a collective the data moves, which takes as long as ever. A message is
    // on its way since it was sent, whether somebody waits for it or not.
    const DurationNs since = graph.measured_end[wait.task] - wait.last;
    DurationNs& own = graph.own[wait.task];
    DurationNs then = std::min(since, own);
    if (wait.is_message) then = waited ? since : std::min(since, messages.transfer);
    own = wait.is_message ? std::min(own, waited ? messages.cost : own) : then;
    for (TaskId other : wait.others) {
      graph.handoffs.push_back({wait.task, other, then, Rule::kMpi});
    }
    graph.question[wait.task] = {Ask::kThread, Rule::kMpi, false, 0, 0};
    if (waited) graph.flags[wait.task] |= kWaited;
  }
}

}  // namespace xsp
