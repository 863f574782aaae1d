#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/quantile.h"
#include "graph/draft.h"

// Device clocks are not quite the host's, nor each other's: on one of two GPUs work seems to begin
// 14 µs after its submission, and syncs on it to return before their work has ended. Over minutes a
// clock also drifts: what begins 1 µs after its call at first seems to begin 50 µs before it later.
namespace xsp {
namespace {

constexpr std::uint32_t kEnoughSamples = 10;
constexpr DurationNs kLeastSkew = 2'000;

// A drift is a line through the medians of this many parts of a trace.
constexpr std::size_t kParts = 16;
constexpr std::size_t kEnoughPerPart = 20;
constexpr DurationNs kLeastDrift = 4'000;  // Between the first part and the last.

// When a kernel began on a device with nothing else to do, and how long after its call.
struct Sample {
  TimeNs time;
  DurationNs delay;
};

// By device, in order of time.
std::vector<std::vector<Sample>> SubmitDelays(const Draft& draft, const Answers& answers) {
  const TaskGraph& graph = draft.graph;
  std::vector<std::vector<Sample>> delays(graph.devices.size());
  for (OpIndex row : graph.op_rows()) {
    if (graph.op_class[row] != OpClass::kKernel) continue;
    if (graph.submit[row] != Submit::kAfterOwnCost) continue;
    const TaskId op = graph.OpAt(row);
    const TaskId call = graph.call[row];
    auto is_free = [&](TaskId before) {
      return !before.valid() || draft.EndOf(before) <= graph.measured_begin[call];
    };
    // As in submit.cc: only where nothing but the submission lies between call and kernel. Kernels
    // alone are enough, and copies would bring in the time that the host stages them.
    if (answers.other[row].valid() || !is_free(answers.queue[call])) continue;
    if (!is_free(answers.stream[row])) continue;
    delays[graph.DeviceOf(op)].push_back(
        {graph.measured_begin[op], graph.measured_begin[op] - graph.measured_end[call]});
  }
  for (auto& samples : delays) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return a.time < b.time; });
  }
  return delays;
}

DurationNs MedianDelay(const std::vector<Sample>& samples, std::size_t first, std::size_t last) {
  Latencies delays;
  for (std::size_t i = first; i < last; ++i) delays.push_back(samples[i].delay);
  return UpperMedian(delays);
}

// How far a clock runs ahead in a second, where the delays lie on a line; nothing where they do
// not. A delay that grows for other reasons (a slower launch path, more threads) does so in jumps:
// only a straight line through the whole trace is a clock.
std::optional<DurationNs> DriftPerSecond(const std::vector<Sample>& samples) {
  if (samples.size() < kParts * kEnoughPerPart) return {};
  std::vector<Sample> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::size_t first = i * samples.size() / kParts;
    const std::size_t last = (i + 1) * samples.size() / kParts;
    parts.push_back({samples[(first + last) / 2].time, MedianDelay(samples, first, last)});
  }
  std::vector<double> slopes;  // Between any two parts: the median of these ignores odd parts.
  for (std::size_t i = 0; i < kParts; ++i) {
    for (std::size_t k = i + 1; k < kParts; ++k) {
      if (parts[k].time == parts[i].time) return {};
      slopes.push_back(static_cast<double>(parts[k].delay - parts[i].delay) /
                       static_cast<double>(parts[k].time - parts[i].time));
    }
  }
  const double slope = UpperMedian(slopes);
  auto rise = [&](const Sample& a, const Sample& b) {
    return slope * static_cast<double>(b.time - a.time);
  };
  const double whole = std::abs(rise(parts.front(), parts.back()));
  if (whole < kLeastDrift) return {};
  for (const Sample& part : parts) {
    const double off =
        static_cast<double>(part.delay - parts.front().delay) - rise(parts.front(), part);
    if (std::abs(off) > whole / 4) return {};
  }
  return static_cast<DurationNs>(slope * 1e9);
}

// Notes the line on which a device's clock ran ahead, and takes it off the samples.
void LearnDrift(TaskGraph& graph, std::uint32_t index, std::vector<Sample>& samples) {
  const std::optional<DurationNs> per_second = DriftPerSecond(samples);
  if (!per_second) return;
  GraphDevice& device = graph.devices[index];
  device.clock_drift = static_cast<double>(*per_second) / 1e9;
  device.drift_zero = samples.front().time;
  graph.constants.Add({"clock_drift_per_s.device" + std::to_string(index), *per_second,
                       static_cast<std::uint32_t>(samples.size()), *per_second, *per_second,
                       false});
  for (Sample& sample : samples) sample.delay -= device.AheadAt(sample.time);
}

// Clocks of several devices are brought to that of the earliest. What is left in the delays of that
// one is taken for the way to the device, since no work can begin before it was issued.
void LearnSkew(TaskGraph& graph, const std::vector<std::vector<Sample>>& delays) {
  std::optional<DurationNs> least;
  std::vector<DurationNs> median(delays.size());
  for (std::size_t i = 0; i < delays.size(); ++i) {
    if (delays[i].size() < kEnoughSamples) continue;
    median[i] = MedianDelay(delays[i], 0, delays[i].size());
    least = std::min(least.value_or(median[i]), median[i]);
  }
  for (std::uint32_t i = 0; i < delays.size(); ++i) {
    if (delays[i].size() < kEnoughSamples) continue;
    const DurationNs skew = median[i] - *least;
    if (skew < kLeastSkew) continue;
    graph.devices[i].clock_skew = skew;
    graph.constants.Add({"clock_skew.device" + std::to_string(i), skew,
                         static_cast<std::uint32_t>(delays[i].size()), skew, skew, false});
  }
}

}  // namespace

void LearnClockSkew(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::vector<std::vector<Sample>> delays = SubmitDelays(draft, answers);
  for (std::uint32_t i = 0; i < delays.size(); ++i) LearnDrift(graph, i, delays[i]);
  if (delays.size() > 1) LearnSkew(graph, delays);
  const bool any = std::any_of(graph.devices.begin(), graph.devices.end(), [](const auto& device) {
    return device.clock_skew != 0 || device.clock_drift != 0;
  });
  if (!any) return;
  // From here on everything is on the host's clock, so that all later rules can compare times of
  // both sides. What was taken off is kept: what people see is on the trace's clock.
  graph.clock_ahead.resize(graph.op_count());
  for (TaskId op : graph.ops()) {
    const GraphDevice& device = graph.devices[graph.DeviceOf(op)];
    const DurationNs ahead = device.AheadAt(graph.measured_begin[op]);
    graph.measured_begin[op] -= ahead;
    graph.measured_end[op] -= ahead;
    graph.clock_ahead[graph.RowOf(op)] = ahead;
  }
}

}  // namespace xsp
