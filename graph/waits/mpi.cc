#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "graph/draft.h"
#include "graph/waits/mpi_calls.h"
#include "graph/waits/pace.h"

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

// How messages come, told by the calls that wait for them.
class Messages {
 public:
  Messages(const TaskGraph& graph, const std::vector<KnownWait>& waits) : graph_(graph) {
    Latencies costs, transfers;
    for (const KnownWait& wait : waits) {
      if (wait.is_message && graph.measured(wait.task) < kLongest) {
        costs.push_back(graph.measured(wait.task));
      }
    }
    if (!costs.empty()) cost_ = NthOf(costs, costs.size() / 4);
    std::vector<std::pair<DurationNs, DurationNs>> pairs;
    for (const KnownWait& wait : waits) {
      if (!wait.is_message) continue;
      if (!Lasts(wait)) continue;
      transfers.push_back(Since(wait));
      const DurationNs before = graph.measured_begin[wait.task] - wait.last;
      if (before >= 0) pairs.emplace_back(before, graph.measured(wait.task));
    }
    if (!transfers.empty()) transfer_ = UpperMedian(transfers);
    moves_in_call_ = PaceOfPairs(pairs, kSure) == Pace::kDuration;
  }

  // Whether a call took longer than one that finds its message there.
  bool Lasts(const KnownWait& wait) const {
    return wait.last > graph_.measured_begin[wait.task] ||
           graph_.measured(wait.task) > kTimesCost * cost_ + kWakeUp;
  }
  // A message is on its way since it was sent, whether somebody waits for it or not; unless the
  // library only moves data while it is called.
  bool ComesByItself(const KnownWait& wait) const {
    return wait.last > graph_.measured_begin[wait.task] || !moves_in_call_;
  }
  DurationNs Since(const KnownWait& wait) const {
    return graph_.measured_end[wait.task] - wait.last;
  }
  DurationNs transfer() const { return transfer_; }
  DurationNs cost() const { return cost_; }  // Of a call that finds its message there.

 private:
  static constexpr DurationNs kLongest = 50'000, kTimesCost = 4, kWakeUp = 10'000;
  static constexpr double kSure = 2;

  const TaskGraph& graph_;
  DurationNs cost_ = 2'000;
  DurationNs transfer_ = 20'000;  // Where nobody ever waited, that of a short message.
  bool moves_in_call_ = false;
};

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
  const Messages messages(graph, waits);
  for (const KnownWait& wait : waits) {
    DurationNs& own = graph.own[wait.task];
    const DurationNs since = messages.Since(wait);
    bool waited = wait.last > graph.measured_begin[wait.task];
    // When all have come to a collective the data moves, which takes as long as ever.
    DurationNs then = std::min(since, own);
    if (!wait.is_message) {
      own = then;
    } else if (!messages.Lasts(wait)) {
      then = std::min(since, messages.transfer());
    } else if (messages.ComesByItself(wait)) {
      then = since;
      own = std::min(own, messages.cost());
      waited = true;
    }
    for (TaskId other : wait.others) {
      graph.handoffs.push_back({wait.task, other, then, Rule::kMpi});
    }
    graph.question[wait.task] = {Ask::kThread, Rule::kMpi, false, 0, 0};
    if (waited) graph.flags[wait.task] |= kWaited;
  }
}

}  // namespace xsp
