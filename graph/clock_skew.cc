#include <algorithm>
#include <string>

#include "graph/draft.h"

// Device clocks are not quite the host's, nor each other's: on one of two GPUs work seems to begin
// 14 µs after its submission, and syncs on it to return before their work has ended.
namespace xsp {
namespace {

constexpr std::uint32_t kEnoughSamples = 10;
constexpr DurationNs kLeastSkew = 2'000;

// How long after its call each device began a kernel when it had nothing else to do.
std::vector<Latencies> SubmitDelays(const Draft& draft, const Answers& answers) {
  const TaskGraph& graph = draft.graph;
  std::vector<Latencies> delays(graph.devices.size());
  for (std::uint32_t row = 0; row < graph.op_count(); ++row) {
    if (graph.op_class[row] != OpClass::kKernel) continue;
    if (graph.submit[row] != Submit::kAfterOwnCost) continue;
    const std::uint32_t op = graph.host_count() + row;
    const std::uint32_t call = graph.call[row];
    const TaskId before = answers.stream[row];
    if (answers.other[row].valid() || answers.queue[call].valid()) continue;
    if (before.valid() && draft.EndOf(before) > graph.measured_begin[call]) continue;
    delays[graph.streams[graph.lane[op]].device].push_back(graph.measured_begin[op] -
                                                           graph.measured_end[call]);
  }
  return delays;
}

}  // namespace

void LearnClockSkew(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  if (graph.devices.size() < 2) return;
  std::vector<Latencies> delays = SubmitDelays(draft, answers);
  DurationNs least = 0;
  bool is_first = true;
  for (auto& samples : delays) {
    if (samples.size() < kEnoughSamples) continue;
    const DurationNs median = Median(samples);
    least = is_first ? median : std::min(least, median);
    is_first = false;
  }
  for (std::size_t i = 0; i < graph.devices.size(); ++i) {
    if (delays[i].size() < kEnoughSamples) continue;
    const DurationNs skew = Median(delays[i]) - least;
    if (skew < kLeastSkew) continue;
    graph.devices[i].clock_skew = skew;
    graph.constants.Add({"clock_skew.device" + std::to_string(i), skew,
                         static_cast<std::uint32_t>(delays[i].size()), skew, skew, false});
  }
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    const DurationNs skew = graph.devices[graph.streams[graph.lane[op]].device].clock_skew;
    graph.measured_begin[op] -= skew;
    graph.measured_end[op] -= skew;
  }
}

}  // namespace xsp
