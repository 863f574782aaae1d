#include "graph/rules/launch_queue.h"

#include <algorithm>

#include "base/quantile.h"
#include "graph/draft.h"

namespace xsp {
namespace {

// What real traces show wherever the queue fills up.
constexpr std::uint32_t kUsualDepth = 1021;
// Fewer outstanding operations than this do not tell how many there may be.
constexpr std::uint32_t kNearlyFull = 900;
// From the end of the operation that made room to the return of the launch.
constexpr DurationNs kDefaultLatency = 4'000;
// Device clocks are a little off: what ended this shortly after a launch's return may have made
// room for it.
constexpr DurationNs kClockError = 1'000;

}  // namespace

// The depth is the most that was ever outstanding when a launch returned. The most, and not what is
// usual: a host that is not far ahead tells nothing about how far it could be. Without a queue a
// host would run ahead without limit, and the launches that waited would keep their measured
// length: with kernels half as long, a real trace took 94 % of its time instead of 53 %.
void MeasureQueueDepth(Draft& draft) {
  TaskGraph& graph = draft.graph;
  std::vector<std::vector<TimeNs>> issued(graph.contexts.size());  // Return of calls.
  std::vector<std::vector<TimeNs>> ended(graph.contexts.size());
  for (TaskId task : graph.host_tasks()) {
    const TaskRange ops = graph.OpsOf(task);
    if (ops.empty()) continue;
    // A graph launch is one command, and leaves the queue with its last node.
    const TaskId last = ops.back();
    const std::uint32_t context = graph.streams[graph.lane[last]].context;
    issued[context].push_back(graph.measured_end[task]);
    ended[context].push_back(graph.measured_end[last]);
  }
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < graph.contexts.size(); ++i) {
    for (auto* times : {&issued[i], &ended[i]}) {
      if (!std::is_sorted(times->begin(), times->end())) std::sort(times->begin(), times->end());
    }
    // Both lists by time: of the first k + 1 commands, `done` had ended when the k-th call
    // returned.
    std::size_t done = 0;
    for (std::size_t k = 0; k < issued[i].size(); ++k) {
      while (done < ended[i].size() && ended[i][done] <= issued[i][k] + kClockError) ++done;
      if (k > done) most = std::max(most, static_cast<std::uint32_t>(k - done));
    }
  }
  graph.queue_depth = most > kNearlyFull ? most : kUsualDepth;
  graph.constants.Add({"queue_depth", graph.queue_depth, most > kNearlyFull ? 1u : 0u,
                       graph.queue_depth, graph.queue_depth, most <= kNearlyFull});
}

void LearnLaunchQueue(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::vector<TaskId> blocked;
  PerName<Latencies> unblocked(draft);
  Latencies latencies;
  for (TaskId task : graph.host_tasks()) {
    if (graph.OpsOf(task).empty()) continue;
    if (graph.question[task].ask != Ask::kNothing) continue;
    // A launch was blocked if the command in its place still ran when the call began. There is no
    // limit on the call's length: blocked launches of short kernels last no more than 40 µs.
    const TaskId blocker = answers.queue[task];
    if (!blocker.valid() || draft.EndOf(blocker) <= graph.measured_begin[task]) {
      unblocked[draft.NameOf(task)].push_back(graph.measured(task));
    } else if (draft.EndOf(blocker) <= graph.measured_end[task]) {
      blocked.push_back(task);
      latencies.push_back(graph.measured_end[task] - draft.EndOf(blocker));
    }
  }
  graph.queue_latency = graph.constants.Learn("queue_latency", latencies, kDefaultLatency);
  // What a blocked launch costs apart from the wait cannot be seen in itself; others of its name
  // that did not wait show it.
  PerName<DurationNs> cost(draft);
  for (TaskId task : blocked) {
    const StringId name = draft.NameOf(task);
    if (unblocked[name].empty()) continue;
    if (cost[name] == 0) cost[name] = UpperMedian(unblocked[name]);
    graph.own[task] = std::min(graph.measured(task), cost[name]);
    graph.flags[task] |= kWaited;
  }
}

}  // namespace xsp
