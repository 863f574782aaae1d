#include <algorithm>
#include <array>
#include <string>

#include "graph/draft.h"

// Operations of one stream, one after the other. The next one does not begin the moment the one
// before ends: between two kernels that were both queued lie 0.7 to 1.6 µs.
namespace xsp {
namespace {

// The stream was busy for sure if the operation before ended this long after the call returned.
constexpr DurationNs kSurelyQueued = 15'000;
// Between two kernels, where a trace has too few of them in a queue.
constexpr DurationNs kDefaultGap = 1'000;

// Does the call launch a CUDA graph with several nodes that were traced one by one?
bool LaunchesNodes(const Draft& draft, TaskId call) {
  const TaskGraph& graph = draft.graph;
  const TaskRange ops = graph.OpsOf(call);
  return ops.size() > 1 && draft.ClassOf(call) == CallClass::kLaunch &&
         graph.submit[graph.RowOf(ops.front())] == Submit::kAfterOwnCost;
}

// Which of the three an operation may have waited for was the last to end.
enum class WaitedFor : std::uint8_t { kNothing, kStream, kOther, kEngine };

// Two that ended closer together than this may both have been the one.
constexpr DurationNs kApart = 2'000;

WaitedFor LastToEnd(const Draft& draft, const Answers& answers, OpIndex row, TimeNs after) {
  const std::array<TaskId, 3> tasks = {answers.stream[row], answers.other[row],
                                       answers.engine[row]};
  std::size_t last = tasks.size();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].valid() || draft.EndOf(tasks[i]) <= after) continue;
    if (last == tasks.size() || draft.EndOf(tasks[i]) > draft.EndOf(tasks[last])) last = i;
  }
  if (last == tasks.size()) return WaitedFor::kNothing;
  for (TaskId task : tasks) {
    const bool is_near = task.valid() && task != tasks[last] &&
                         draft.EndOf(task) > draft.EndOf(tasks[last]) - kApart;
    if (is_near) return WaitedFor::kNothing;
  }
  return static_cast<WaitedFor>(last + 1);
}

}  // namespace

// Within the launch of a CUDA graph, the trace does not tell which node waits for which. A node
// surely does not wait for those that were still running when it began; of the others, the one that
// ended last stands for all.
void AddNodeOrders(Draft& draft) {
  TaskGraph& graph = draft.graph;
  std::vector<TaskId> by_end;
  for (TaskId call : graph.host_tasks()) {
    if (!LaunchesNodes(draft, call)) continue;
    const TaskRange nodes = graph.OpsOf(call);
    by_end.clear();
    for (TaskId op : nodes) {
      by_end.push_back(op);
      graph.flags[op] |= kNode | kLastNode;
    }
    std::sort(by_end.begin(), by_end.end(), [&](TaskId a, TaskId b) {
      return std::pair(graph.measured_end[a], a) < std::pair(graph.measured_end[b], b);
    });
    std::size_t ended = 0;
    for (TaskId op : nodes) {
      // Nodes of one launch are numbered by begin, so one that ended before this one began has a
      // lower number; of two that take no time at all only the order of numbers is left.
      while (graph.measured_end[by_end[ended]] <= graph.measured_begin[op] && by_end[ended] < op) {
        ++ended;
      }
      if (ended == 0) continue;
      graph.node_orders.push_back({op, by_end[ended - 1]});
      graph.flags[by_end[ended - 1]] &= ~kLastNode;
    }
  }
}

namespace {

using PairSamples = std::array<std::array<Latencies, kOpClassCount>, kOpClassCount>;

// What a trace shows of the time between an operation and what it waited for.
struct DeviceGaps {
  PairSamples pairs;  // On one stream, by the classes of the two.
  // Of operations whose calls were not recorded. What else these wait for was not recorded, either:
  // they count only where there are no others.
  PairSamples without_call;
  std::size_t with_call = 0;
  Latencies overlaps, events, defaults, engines;
};

// An operation and the one before on its stream, which was the last thing that it waited for.
void AddPair(TaskGraph& graph, TaskId before, TaskId op, DeviceGaps& gaps) {
  const DurationNs gap = graph.measured_begin[op] - graph.measured_end[before];
  // Some kernels begin before the one before them has ended (programmatic dependent launch
  // allows it). A negative gap is theirs, and must not shorten those of all the others.
  if (gap < 0 && graph.kind[op] == TaskKind::kKernel) {
    graph.flags[op] |= kOverlaps;
    gaps.overlaps.push_back(gap);
    return;
  }
  const bool has_call = graph.submit[graph.RowOf(op)] == Submit::kAfterOwnCost;
  PairSamples& pairs = has_call ? gaps.pairs : gaps.without_call;
  pairs[graph.ClassIndex(before)][graph.ClassIndex(op)].push_back(gap);
  gaps.with_call += has_call;
}

DeviceGaps FindGaps(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  DeviceGaps gaps;
  for (OpIndex row : graph.op_rows()) {
    const TaskId op = graph.OpAt(row);
    // The gap shows only where the operation was there in time. One that came when its stream was
    // about to run dry would add the host's lateness to the device's latency.
    const TimeNs queued = graph.measured_end[graph.call[row]] +
                          (graph.submit[row] == Submit::kStreamOnly ? 0 : kSurelyQueued);
    if (IsHeldUp(draft, answers, row)) continue;
    auto since = [&](TaskId task) { return graph.measured_begin[op] - draft.EndOf(task); };
    switch (LastToEnd(draft, answers, row, queued)) {
      case WaitedFor::kNothing:
        break;
      case WaitedFor::kStream:
        AddPair(graph, answers.stream[row], op, gaps);
        break;
      case WaitedFor::kOther: {
        const bool is_default = answers.other_rule[row] == Rule::kDefaultStream;
        (is_default ? gaps.defaults : gaps.events).push_back(since(answers.other[row]));
        break;
      }
      case WaitedFor::kEngine:
        gaps.engines.push_back(since(answers.engine[row]));
        break;
    }
  }
  return gaps;
}

}  // namespace

void LearnStreamOrder(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  DeviceGaps gaps = FindGaps(draft, answers);
  PairSamples& samples = gaps.with_call < kMinSamples ? gaps.without_call : gaps.pairs;
  // Each pair of classes for itself, or else what lies between kernels; never all pairs pooled. A
  // copy from pageable memory is staged by the host, which looks like a gap of 50 µs before it:
  // pooled with the others, that made a real trace 14 % too long.
  const ConstantId usual =
      graph.constants.Learn("stream_gap.kernel.kernel", samples[0][0], kDefaultGap);
  const DurationNs usual_gap = graph.constants.value(usual);
  for (std::size_t from = 0; from < kOpClassCount; ++from) {
    for (std::size_t to = 0; to < kOpClassCount; ++to) {
      graph.stream_gap[from][to] = usual;
      if ((from == 0 && to == 0) || samples[from][to].size() < kMinSamples) continue;
      graph.stream_gap[from][to] =
          graph.constants.Learn("stream_gap." + std::string(NameOf(static_cast<OpClass>(from))) +
                                    "." + std::string(NameOf(static_cast<OpClass>(to))),
                                samples[from][to], usual_gap);
    }
  }
  // Between streams the device has to see that an event is there, or another stream is done. That
  // takes about as long as the next command of the same stream does.
  graph.event_latency = graph.constants.Learn("event_latency", gaps.events, usual_gap);
  graph.default_stream_latency = graph.constants.Learn("default_stream_latency", gaps.defaults,
                                                       graph.lag(graph.event_latency));
  graph.engine_gap = graph.constants.Learn("engine_gap", gaps.engines, usual_gap);
  if (!gaps.overlaps.empty()) {
    graph.overlap_lag = graph.constants.Learn("overlap", gaps.overlaps, 0);
  }
}

}  // namespace xsp
