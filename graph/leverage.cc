#include "graph/leverage.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "graph/replay.h"
#include "graph/slice.h"

namespace xsp {
namespace {

constexpr std::uint32_t kStepsSimulated = 3;  // Behind one more in which the pipeline fills.

// The first run of consecutive steady steps that is long enough; none: the whole trace.
LeverageUnit ChooseUnit(const Steps& steps) {
  LeverageUnit unit;
  const std::vector<std::uint32_t> steady = steps.Steady();
  if (steady.size() < kStepsForUnit) return unit;
  unit.is_step = true;
  unit.first_step = steady[0];
  unit.step_count = 1;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 1; i <= steady.size(); ++i) {
    if (i < steady.size() && steady[i] == steady[i - 1] + 1) continue;
    const std::uint32_t length = std::min(i - begin, kStepsSimulated + 1);
    if (length > unit.step_count) {
      unit.first_step = steady[begin];
      unit.step_count = length;
    }
    begin = i;
  }
  if (unit.step_count > kStepsSimulated) {
    ++unit.first_step;  // The one before it fills the pipeline.
    --unit.step_count;
  }
  return unit;
}

// Simulates what the gains are measured on.
class Bench {
 public:
  Bench(const TaskGraph& graph, const Steps& steps, TimeRange part) : unit_(ChooseUnit(steps)) {
    if (!unit_.is_step) {
      whole_ = &graph;
      part_ = part;
      const SimSpan span = MeasuredGpuSpan(graph, part);
      begin_ = span.begin.ns;
      unit_.measured = span.empty() ? 0 : span.Length();
      start_ = GpuSpanOf(graph, Simulate(graph), part_).begin;
      return;
    }
    const std::uint32_t last = unit_.first_step + unit_.step_count - 1;
    const std::uint32_t fill = unit_.first_step > 0 ? unit_.first_step - 1 : 0;
    // A step's host part begins before its time does: the host runs ahead.
    TimeNs begin = steps.steps[fill].time.begin;
    for (const auto& of_process : steps.of_process) {
      if (!of_process.empty()) begin = std::min(begin, of_process[fill].host.begin);
    }
    slice_ = Slice(graph, {begin, steps.steps[last].time.end});
    moments_ = {steps.steps[unit_.first_step].time.begin, steps.steps[last].time.end};
    unit_.measured = PerUnit(moments_[1] - moments_[0]);
    place_.assign(graph.task_count(), kOutside);
    for (std::uint32_t i = 0; i < slice_.task_of.size(); ++i) place_[slice_.task_of[i].value] = i;
  }

  const TaskGraph& graph() const { return whole_ != nullptr ? *whole_ : slice_.graph; }
  const LeverageUnit& unit() const { return unit_; }

  // A task's number here, or kOutside. What came before the span is no part of it: made faster, it
  // would only move the span.
  std::uint32_t Place(std::uint32_t task) const {
    if (whole_ == nullptr) return place_[task];
    const TimeNs begin = TraceBegin(*whole_, task);
    return begin_ <= begin && part_.Contains(begin) ? task : kOutside;
  }

  DurationNs Length(const Overlay& overlay) const {
    const Schedule schedule = Simulate(graph(), overlay);
    // From where it begins unchanged: what counts is how much sooner it is over.
    if (whole_ != nullptr) return GpuSpanOf(graph(), schedule, part_).end - start_;
    const std::vector<SimTime> at = SimulatedMoments(graph(), schedule, moments_);
    return at[1] - at[0];
  }

  // Per unit: what was measured over several steps is the mean of one.
  DurationNs PerUnit(DurationNs time) const {
    return unit_.is_step ? time / static_cast<DurationNs>(unit_.step_count) : time;
  }

  // Whether a task's time counts: it does not in the step that fills the pipeline.
  bool Counts(std::uint32_t task) const {
    if (whole_ != nullptr) return true;
    const TimeNs begin = slice_.graph.measured_begin[task];
    return moments_[0] <= begin && begin < moments_[1];
  }

  static constexpr std::uint32_t kOutside = 0xFFFFFFFF;

 private:
  LeverageUnit unit_;
  const TaskGraph* whole_ = nullptr;
  TimeRange part_;    // Of the whole:
  TimeNs begin_ = 0;  // when its span begins, as measured,
  SimTime start_;     // and in an unchanged simulation.
  GraphSlice slice_;
  std::vector<TimeNs> moments_;
  std::vector<std::uint32_t> place_;
};

// The overlay in which a group takes `tenths` tenths of its time.
Overlay Scale(const Bench& bench, const TaskGroup& group, DurationNs tenths) {
  const TaskGraph& graph = bench.graph();
  Overlay overlay;
  overlay.own = graph.own;
  if (group.with_gaps) overlay.gap = graph.gap;
  for (std::uint32_t whole_task : group.tasks) {
    const std::uint32_t task = bench.Place(whole_task);
    if (task == Bench::kOutside) continue;
    overlay.own[task] = overlay.own[task] * tenths / 10;
    if (group.with_gaps && graph.IsHost(task)) {
      overlay.gap[task] = overlay.gap[task] * tenths / 10;
    }
  }
  return overlay;
}

Leverage Measure(const Bench& bench, const TaskGroup& group, std::uint32_t index,
                 DurationNs unchanged) {
  Leverage result;
  result.group = index;
  const TaskGraph& graph = bench.graph();
  for (std::uint32_t whole_task : group.tasks) {
    const std::uint32_t task = bench.Place(whole_task);
    if (task == Bench::kOutside || !bench.Counts(task)) continue;
    ++result.count;
    if (!graph.IsHost(task)) {
      result.device += graph.own[task];
    } else {
      result.host += graph.own[task] + (group.with_gaps ? graph.gap[task] : 0);
    }
  }
  result.device = bench.PerUnit(result.device);
  result.host = bench.PerUnit(result.host);
  if (result.count == 0) return result;
  auto gain = [&](DurationNs tenths) {
    return bench.PerUnit(unchanged - bench.Length(Scale(bench, group, tenths)));
  };
  result.gain_10 = gain(9);
  result.gain_50 = gain(5);
  result.gain_free = gain(0);
  return result;
}

}  // namespace

LeverageReport MeasureLeverage(const TaskGraph& graph, const Steps& steps,
                               const std::vector<TaskGroup>& groups, TimeRange part,
                               unsigned threads) {
  const Bench bench(graph, steps, part);
  const DurationNs unchanged = bench.Length({});
  LeverageReport report;
  report.unit = bench.unit();
  report.unit.simulated = bench.PerUnit(unchanged);
  report.items.resize(groups.size());
  std::atomic<std::uint32_t> next = 0;
  auto work = [&] {
    for (std::uint32_t i = next++; i < groups.size(); i = next++) {
      report.items[i] = Measure(bench, groups[i], i, unchanged);
    }
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // Waits for them.
  std::stable_sort(report.items.begin(), report.items.end(),
                   [](const Leverage& a, const Leverage& b) {
                     return std::pair(a.gain_50, a.gain_free) > std::pair(b.gain_50, b.gain_free);
                   });
  return report;
}

}  // namespace xsp
