#include "graph/rules/launch_queue.h"

#include <algorithm>
#include <vector>

#include "base/quantile.h"
#include "graph/draft.h"
#include "hierarchy/hardware/gpu_specs.h"

namespace xsp {
namespace {

// What real traces show wherever the queue fills up: NVIDIA's driver,
constexpr std::uint32_t kUsualDepth = 1021;
// and what AMD's documents (packets of a hardware queue).
constexpr std::uint32_t kUsualDepthOfAmd = 16'384;
// Close to the usual depth, the most that was outstanding is the depth. Less than this tells how
// many there may be only if launches were seen to wait for a place.
constexpr std::uint32_t kNearlyFull = 900;
constexpr std::uint32_t kLeastDepth = 16;
constexpr std::uint32_t kWaitsThatTell = 20;
// From the end of the operation that made room to the return of the launch.
constexpr DurationNs kDefaultLatency = 4'000;
// Device clocks are a little off: what ended this shortly after a launch's return may have made
// room for it.
constexpr DurationNs kClockError = 1'000;

// A launch, and the last operation that it issued: a graph launch is one command, and leaves the
// queue with its last node.
struct IssuedCommand {
  TaskId call;
  std::uint32_t queue = 0;
  TimeNs begin = 0;   // Of the call.
  TimeNs issued = 0;  // Its return.
  TimeNs ended = 0;   // Of the operation; where places come free in order, of all before, too.
};

std::vector<IssuedCommand> CommandsBy(const Draft& draft, QueueKind kind) {
  const TaskGraph& graph = draft.graph;
  std::vector<IssuedCommand> commands;
  for (TaskId task : graph.host_tasks()) {
    const TaskRange ops = graph.OpsOf(task);
    if (ops.empty()) continue;
    const std::uint32_t stream = graph.lane[ops.back()];
    commands.push_back({task, kind == QueueKind::kStream ? stream : graph.streams[stream].context,
                        graph.measured_begin[task], graph.measured_end[task],
                        graph.measured_end[ops.back()]});
  }
  std::sort(commands.begin(), commands.end(), [](const IssuedCommand& a, const IssuedCommand& b) {
    return std::tie(a.queue, a.issued, a.call) < std::tie(b.queue, b.issued, b.call);
  });
  if (kind != QueueKind::kContextInOrder) return commands;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (commands[i].queue != commands[i - 1].queue) continue;
    commands[i].ended = std::max(commands[i].ended, commands[i - 1].ended);
  }
  return commands;
}

// How many other commands were outstanding when a launch began and when it returned.
struct Outstanding {
  TaskId call;
  std::uint32_t at_begin = 0;
  std::uint32_t at_return = 0;
};

std::vector<Outstanding> OutstandingBy(const Draft& draft, QueueKind kind) {
  const std::vector<IssuedCommand> commands = CommandsBy(draft, kind);
  std::vector<Outstanding> result;
  result.reserve(commands.size());
  for (std::size_t first = 0, last = 0; first < commands.size(); first = last) {
    std::vector<TimeNs> issued, ended;
    for (; last < commands.size() && commands[last].queue == commands[first].queue; ++last) {
      issued.push_back(commands[last].issued);
      ended.push_back(commands[last].ended);
    }
    std::sort(ended.begin(), ended.end());
    const auto until = [](const std::vector<TimeNs>& times, TimeNs time) {
      return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) -
                                      times.begin());
    };
    const auto beyond = [](std::size_t all, std::size_t done) {
      return static_cast<std::uint32_t>(all > done ? all - done : 0);
    };
    for (std::size_t i = first; i < last; ++i) {
      const IssuedCommand& command = commands[i];
      result.push_back({command.call,
                        beyond(until(issued, command.begin), until(ended, command.begin)),
                        beyond(i - first, until(ended, command.issued + kClockError))});
    }
  }
  return result;
}

// What a kind of queue would have to be like.
struct QueueEvidence {
  std::uint32_t depth = 0;  // So many others were outstanding at most when a launch returned.
  Latencies waited;         // Launches that began while more were: they waited for a place.
  Latencies others;
  DurationNs in_waits = 0;  // The sum of those that waited.

  // Whether launches waited: a host that stops by itself at a number makes none longer.
  bool IsTelling() {
    if (waited.size() < kWaitsThatTell || depth < kLeastDepth) return false;
    return others.empty() || UpperMedian(waited) > UpperMedian(others) * 5 / 4;
  }
};

// Nearly the most of what was outstanding at a return: a clock that is off for a moment makes a
// queue no deeper.
std::uint32_t DepthOf(const std::vector<Outstanding>& launches) {
  constexpr std::uint32_t kNear = 3;
  std::uint32_t most = 0;
  for (const Outstanding& launch : launches) most = std::max(most, launch.at_return);
  if (most <= kNear) return most;
  std::uint32_t at[kNear + 1] = {}, all = 0;
  for (const Outstanding& launch : launches) {
    if (launch.at_return < most - kNear) continue;
    ++at[most - launch.at_return];
    ++all;
  }
  std::uint32_t depth = most, above = 0;
  for (std::uint32_t i = 0; i < kNear; ++i) {
    above += at[i];
    if (above * 100 >= all) break;
    depth = most - i - 1;
  }
  return depth;
}

QueueEvidence EvidenceFor(const Draft& draft, QueueKind kind) {
  const std::vector<Outstanding> launches = OutstandingBy(draft, kind);
  QueueEvidence evidence;
  evidence.depth = DepthOf(launches);
  for (const Outstanding& launch : launches) {
    if (draft.graph.question[launch.call].ask != Ask::kNothing) continue;
    const DurationNs took = draft.graph.measured(launch.call);
    const bool waited = launch.at_begin > evidence.depth && launch.at_return <= evidence.depth;
    (waited ? evidence.waited : evidence.others).push_back(took);
    if (waited) evidence.in_waits += took;
  }
  return evidence;
}

std::uint32_t UsualDepth(const TaskGraph& graph) {
  for (const GraphDevice& device : graph.devices) {
    if (!device.gpu.valid()) continue;
    const Gpu& gpu = graph.trace->gpus()[device.gpu.value];
    const bool is_named = gpu.name.valid();
    const GpuPeaks peaks =
        PeaksOf(gpu, is_named ? graph.trace->strings()[gpu.name] : std::string_view());
    constexpr std::uint32_t kFirstOfAmd = 1'000;
    if (peaks.capability >= kFirstOfAmd) return kUsualDepthOfAmd;
  }
  return kUsualDepth;
}

}  // namespace

// The depth is the most that was ever outstanding when a launch returned. The most, and not what is
// usual: a host that is not far ahead tells nothing about how far it could be. Without a queue a
// host would run ahead without limit, and the launches that waited would keep their measured
// length: with kernels half as long, a real trace took 94 % of its time instead of 53 %.
//
// Who shares a queue, and whether any command that finishes makes room, drivers do not say; where
// launches waited, the kind is the one by which they waited longest: by any other the number of
// those outstanding goes up and down while launches wait.
void MeasureQueueDepth(Draft& draft) {
  TaskGraph& graph = draft.graph;
  QueueEvidence best = EvidenceFor(draft, QueueKind::kContext);
  for (QueueKind kind : {QueueKind::kContextInOrder, QueueKind::kStream}) {
    if (graph.streams.size() < 2) break;  // All are the same.
    QueueEvidence evidence = EvidenceFor(draft, kind);
    if (!evidence.IsTelling() || evidence.in_waits <= best.in_waits) continue;
    best = std::move(evidence);
    graph.queue_kind = kind;
  }
  const bool is_seen = best.depth > kNearlyFull || best.IsTelling();
  graph.queue_depth = is_seen ? best.depth : UsualDepth(graph);
  const auto n = is_seen ? std::max(1u, static_cast<std::uint32_t>(best.waited.size())) : 0u;
  graph.constants.Add(
      {"queue_depth", graph.queue_depth, n, graph.queue_depth, graph.queue_depth, !is_seen});
}

void LearnLaunchQueue(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::vector<TaskId> blocked;
  PerName<Latencies> unblocked(draft);
  Latencies latencies;
  for (TaskId task : graph.host_tasks()) {
    if (graph.OpsOf(task).empty()) continue;
    const Ask ask = graph.question[task].ask;
    if (ask != Ask::kNothing && ask != Ask::kLock) continue;
    // A launch was blocked if the command in its place still ran when the call began. There is no
    // limit on the call's length: blocked launches of short kernels last no more than 40 µs.
    const TaskId blocker = answers.queue[task];
    if (!blocker.valid() || draft.EndOf(blocker) <= graph.measured_begin[task]) {
      unblocked[draft.NameOf(task)].push_back(graph.measured(task));
    } else if (draft.EndOf(blocker) <= graph.measured_end[task] + kClockError) {
      blocked.push_back(task);
      latencies.push_back(graph.measured_end[task] - draft.EndOf(blocker));
    }
  }
  graph.queue_latency = graph.constants.Learn("queue_latency", latencies, kDefaultLatency);
  // What a blocked launch costs apart from the wait cannot be seen in itself; others of its name
  // that did not wait show it. On the mean: such costs add up.
  PerName<DurationNs> cost(draft);
  for (TaskId task : blocked) {
    const StringId name = draft.NameOf(task);
    if (unblocked[name].empty()) continue;
    if (cost[name] == 0) {
      std::sort(unblocked[name].begin(), unblocked[name].end());
      cost[name] = std::max<DurationNs>(1, RobustMean(unblocked[name]));
    }
    graph.own[task] = std::min(graph.measured(task), cost[name]);
    graph.flags[task] |= kWaited;
  }
}

}  // namespace xsp
