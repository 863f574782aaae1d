#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "graph/draft.h"

// Threads that launch into one context at the same time: some drivers do part of a launch for one
// thread at a time. Most do not, or nobody notices, so this is asked only where the trace shows it:
// a launch that begins while another thread is in one takes longer than others, and returns no
// sooner than a good part of a launch behind the other. With the measured durations instead, two
// threads of which one has less to launch would go on holding each other up.
namespace xsp {
namespace {

// So many launches of a name that met another thread's, and that did not, tell them apart.
constexpr std::size_t kFewestLaunches = 20;
// Those that met another one take clearly longer.
constexpr double kLonger = 1.15;
// How long after the other one they return scatters less than what they take.
constexpr double kSteadier = 0.7;
// One that returns within this much of the usual time behind the other one waited for it.
constexpr double kRightBehind = 1.15;

bool MayLock(const TaskGraph& graph, TaskId task) {
  return graph.kind[task] == TaskKind::kCall && graph.question[task].ask == Ask::kNothing &&
         !graph.OpsOf(task).empty() &&
         graph.submit[graph.RowOf(graph.OpsOf(task).front())] == Submit::kAfterOwnCost;
}

std::uint32_t ContextOfLaunch(const TaskGraph& graph, TaskId launch) {
  return graph.streams[graph.lane[graph.OpsOf(launch).front()]].context;
}

// The launches of each context, by begin.
std::vector<std::vector<TaskId>> LaunchesByContext(const TaskGraph& graph) {
  std::vector<std::vector<TaskId>> launches(graph.contexts.size());
  std::vector<std::uint32_t> first_thread(graph.contexts.size(), Draft::kNone);
  std::vector<bool> is_shared(graph.contexts.size());
  for (TaskId task : graph.host_tasks()) {
    if (!MayLock(graph, task)) continue;
    const std::uint32_t context = ContextOfLaunch(graph, task);
    launches[context].push_back(task);
    std::uint32_t& first = first_thread[context];
    if (first == Draft::kNone) first = graph.lane[task];
    if (first != graph.lane[task]) is_shared[context] = true;
  }
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    if (!is_shared[i]) launches[i].clear();
    std::sort(launches[i].begin(), launches[i].end(), [&](TaskId a, TaskId b) {
      return std::pair(graph.measured_begin[a], a) < std::pair(graph.measured_begin[b], b);
    });
  }
  return launches;
}

// Whether launches had to wait for a place in the launch queue: then its depth could be measured.
bool QueueFillsUp(const TaskGraph& graph) {
  const std::vector<Constant>& all = graph.constants.all();
  return std::any_of(all.begin(), all.end(), [](const Constant& constant) {
    return constant.name == "queue_depth" && !constant.is_default;
  });
}

// What launches of one name took in a context: those that met nobody, those that met another
// thread's, and how long after that one these returned.
struct LockEvidence {
  Latencies alone, met, behind;
};

// What lies between the values that a tenth is below, and a tenth above.
DurationNs SpreadOf(Latencies values) {
  const std::size_t tenth = values.size() / 10;
  return NthOf(values, values.size() - 1 - tenth) - NthOf(values, tenth);
}

// None where nothing shows that there is a lock. With one, launches that met another thread's
// return at the pace of the lock, however long they waited for it; without one they take as long as
// any, and return anyhow.
std::optional<LaunchLock> LockShownBy(LockEvidence of, bool queue_fills_up) {
  if (of.met.size() < kFewestLaunches) return std::nullopt;
  LaunchLock lock;
  lock.behind = UpperMedian(of.behind);
  const bool keeps_pace =
      static_cast<double>(SpreadOf(of.behind)) < kSteadier * static_cast<double>(SpreadOf(of.met));
  if (!keeps_pace || NthOf(of.behind, of.behind.size() / 10) <= 0) return std::nullopt;
  if (of.alone.size() < kFewestLaunches) {
    // Threads that launch all the time are hardly ever alone. Those that wait for places in a full
    // queue are not, either, and return at the pace of that.
    if (queue_fills_up) return std::nullopt;
    lock.cost = std::min(lock.behind, NthOf(of.met, of.met.size() / 20));
  } else {
    const auto upper = [](Latencies& values) {
      return static_cast<double>(NthOf(values, values.size() * 3 / 4));
    };
    if (upper(of.met) < kLonger * upper(of.alone)) return std::nullopt;
    std::sort(of.alone.begin(), of.alone.end());
    lock.cost = RobustMean(of.alone);
  }
  return lock;
}

using EvidenceByName = std::map<StringId, LockEvidence>;

EvidenceByName LookAt(const Draft& draft, const std::vector<TaskId>& launches) {
  const TaskGraph& graph = draft.graph;
  EvidenceByName evidence;
  // By begin; the last of them is in its launch now. Those of one thread do not overlap.
  std::vector<TaskId> begun;
  for (TaskId task : launches) {
    while (!begun.empty() && draft.EndOf(begun.back()) <= graph.measured_begin[task]) {
      begun.pop_back();
    }
    const TaskId other = begun.empty() ? TaskId() : begun.back();
    LockEvidence& of = evidence[draft.NameOf(task)];
    (other.valid() ? of.met : of.alone).push_back(graph.measured(task));
    if (other.valid()) of.behind.push_back(draft.EndOf(task) - draft.EndOf(other));
    begun.push_back(task);
  }
  return evidence;
}

}  // namespace

void AskForDriverLocks(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const auto launches = LaunchesByContext(graph);
  const bool queue_fills_up = QueueFillsUp(graph);
  for (std::uint32_t context = 0; context < launches.size(); ++context) {
    const EvidenceByName evidence = LookAt(draft, launches[context]);
    for (const auto& [name, of] : evidence) {
      if (const auto lock = LockShownBy(of, queue_fills_up)) draft.locks[{context, name}] = *lock;
    }
    for (TaskId task : launches[context]) {
      if (draft.locks.count({context, draft.NameOf(task)}) == 0) continue;
      graph.question[task] = {Ask::kLock, Rule::kDriverLock, true, 0, context};
    }
  }
}

// A launch that had to wait for another costs what those cost that did not. How long after the
// other one it returns is more than that (threads pass the lock on) or less (not all of a launch is
// done alone).
void LearnDriverLocks(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::vector<TaskId> locked;
  Latencies passing;
  for (TaskId task : graph.host_tasks()) {
    const Question& question = graph.question[task];
    if (question.rule != Rule::kDriverLock) continue;
    locked.push_back(task);
    if ((graph.flags[task] & kWaited) != 0) continue;  // It waited for a place in the queue.
    const TaskId other = answers.awaited[task];
    if (!other.valid() || draft.EndOf(other) <= graph.measured_begin[task]) continue;
    const LaunchLock& lock = draft.locks.at({question.target, draft.NameOf(task)});
    const DurationNs behind = draft.EndOf(task) - draft.EndOf(other);
    if (static_cast<double>(behind) > kRightBehind * static_cast<double>(lock.behind)) continue;
    graph.own[task] = std::min(graph.measured(task), lock.cost);
    graph.flags[task] |= kWaited;
    passing.push_back(behind - lock.cost);
  }
  if (locked.empty()) return;
  const ConstantId lag = graph.constants.Learn("lock_pass", passing, 0);
  for (TaskId task : locked) graph.question[task].latency = lag;
}

}  // namespace xsp
