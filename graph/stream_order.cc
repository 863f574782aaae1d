#include <algorithm>
#include <array>
#include <string>

#include "graph/draft.h"

// Operations of one stream, one after the other.
namespace xsp {
namespace {

// The stream was busy for sure if the operation before ended this long after the call returned.
constexpr DurationNs kSurelyQueued = 15'000;
constexpr DurationNs kDefaultGap = 1'000;

}  // namespace

// Within the launch of a CUDA graph, the trace does not tell which node waits for which. A node
// surely does not wait for those that were still running when it began; of the others, the one that
// ended last stands for all.
void AddNodeOrders(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (std::uint32_t call = 0; call < graph.host_count(); ++call) {
    const std::uint32_t first = graph.first_op[call];
    const std::uint32_t last = graph.first_op[call + 1];
    std::vector<std::uint32_t> by_end;
    for (std::uint32_t op = first; op < last && last - first > 1; ++op) by_end.push_back(op);
    std::sort(by_end.begin(), by_end.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(graph.measured_end[a], a) < std::pair(graph.measured_end[b], b);
    });
    std::size_t ended = 0;
    for (std::uint32_t op = first; op < last && !by_end.empty(); ++op) {
      while (ended < by_end.size() &&
             graph.measured_end[by_end[ended]] <= graph.measured_begin[op]) {
        ++ended;
      }
      const std::uint32_t from = ended > 0 ? by_end[ended - 1] : op;
      if (from < op && graph.lane[from] != graph.lane[op]) graph.node_orders.push_back({op, from});
    }
  }
}

void LearnStreamOrder(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::array<std::array<Latencies, kOpClassCount>, kOpClassCount> samples;
  Latencies overlaps;
  Latencies events;
  Latencies engines;
  for (std::uint32_t row = 0; row < graph.op_count(); ++row) {
    const std::uint32_t op = graph.host_count() + row;
    const TaskId before = answers.stream[row];
    const TimeNs begin = graph.measured_begin[op];
    const TimeNs queued = graph.measured_end[graph.call[row]] +
                          (graph.submit[row] == Submit::kStreamOnly ? 0 : kSurelyQueued);
    auto ended_early = [&](TaskId other, TimeNs limit) {
      return !other.valid() || draft.EndOf(other) <= limit;
    };
    if (before.valid() && draft.EndOf(before) > queued) {
      const TimeNs end = draft.EndOf(before);
      if (!ended_early(answers.other[row], end) || !ended_early(answers.engine[row], end)) continue;
      const auto from = static_cast<std::size_t>(graph.op_class[graph.OpIndex(before.value)]);
      const auto to = static_cast<std::size_t>(graph.op_class[row]);
      if (begin < end && graph.kind[op] == TaskKind::kKernel) {
        graph.flags[op] |= kOverlaps;
        overlaps.push_back(begin - end);
      } else {
        samples[from][to].push_back(begin - end);
      }
    } else if (answers.other[row].valid() && draft.EndOf(answers.other[row]) > queued) {
      if (!ended_early(answers.engine[row], draft.EndOf(answers.other[row]))) continue;
      events.push_back(begin - draft.EndOf(answers.other[row]));
    } else if (answers.engine[row].valid() && draft.EndOf(answers.engine[row]) > queued) {
      engines.push_back(begin - draft.EndOf(answers.engine[row]));
    }
  }
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
  graph.event_latency = graph.constants.Learn("event_latency", events, usual_gap);
  graph.engine_gap = graph.constants.Learn("engine_gap", engines, usual_gap);
  if (!overlaps.empty()) graph.overlap_lag = graph.constants.Learn("overlap", overlaps, 0);
}

}  // namespace xsp
