#include "sim/diagnosis/leverage.h"

#include <algorithm>

#include "base/workers.h"
#include "graph/one_time.h"
#include "graph/unit/unit_bench.h"

namespace xsp {
namespace {

// What of a group can change: what is simulated, and of a span, what is in it. Tasks by their place
// on the bench.
TaskGroup Changeable(const UnitBench& bench, const TaskGroup& group) {
  TaskGroup result;
  auto place = [&](TaskId whole) {
    const TaskId task = bench.Place(whole);
    const bool counts = task.valid() && (bench.unit().is_step || bench.IsInUnit(task));
    return counts ? task : TaskId();
  };
  for (TaskId whole : group.tasks) {
    if (const TaskId task = place(whole); task.valid()) result.tasks.push_back(task);
  }
  for (const GapShare& gap : group.gaps) {
    if (const TaskId task = place(gap.task); task.valid()) {
      result.gaps.push_back({task, gap.ns, gap.begin});
    }
  }
  return result;
}

// The overlay in which what a group has takes `tenths` tenths of its time, but for what a call does
// only once.
Overlay Scale(const TaskGraph& graph, const TaskGroup& group, DurationNs tenths) {
  Overlay overlay;
  overlay.own = graph.own;
  for (TaskId task : group.tasks) {
    const DurationNs one_time = OneTimeOf(graph, task);
    overlay.own[task] = one_time + (overlay.own[task] - one_time) * tenths / 10;
    if (const GraphBatch* batch = graph.BatchOf(task)) {
      overlay.SetInterval(graph, task, batch->interval * tenths / 10);
    }
  }
  if (group.gaps.empty()) return overlay;
  overlay.gap = graph.gap;
  for (const GapShare& gap : group.gaps) {
    overlay.gap[gap.task] =
        std::max<DurationNs>(0, overlay.gap[gap.task] - gap.ns + gap.ns * tenths / 10);
  }
  return overlay;
}

// How much of some untraced time the unit holds. Of steps: what passes in their part of the
// thread's time, which goes on until the next one begins, as a step does. Where a border lies
// within the untraced time, a simulation keeps it at the same share of that time (StepBorders): so
// each side has that share of every part of it.
DurationNs InUnit(const UnitBench& bench, const Steps& steps, const GapShare& gap) {
  const Unit& unit = bench.unit();
  if (!unit.is_step) return bench.IsInUnit(gap.task) ? gap.ns : 0;
  const TaskGraph& graph = bench.graph();
  const ProcessId process = graph.threads[graph.lane[gap.task]].process;
  const std::vector<HostStep>& host = steps.of_process[process.value];
  if (host.empty()) return unit.time.Contains(gap.begin) ? gap.ns : 0;
  const bool is_last = unit.end_step() == host.size();
  const TimeNs begin = host[unit.first_step].host.begin;
  const TimeNs end =
      is_last ? host[unit.end_step() - 1].host.end : host[unit.end_step()].host.begin;
  const TimeNs until = graph.measured_begin[gap.task];
  const TimeRange whole = {until - graph.gap[gap.task], until};
  const TimeRange part = {std::max(begin, whole.begin), std::min(end, whole.end)};
  if (whole.Empty() || part.Empty()) return 0;
  return static_cast<DurationNs>(static_cast<double>(gap.ns) * static_cast<double>(part.Length()) /
                                 static_cast<double>(whole.Length()));
}

// Of a load that waits for its producer, the wait is what it costs. What comes only once is no cost
// that anything gains from.
DurationNs CostOf(const TaskGraph& graph, TaskId task) {
  const bool waits = graph.kind[task] == TaskKind::kLoad && (graph.flags[task] & kWaited) != 0;
  if (waits) return std::max(graph.own[task], graph.measured(task));
  return graph.own[task] - OneTimeOf(graph, task);
}

// What a group is, and what it would gain; `unchanged` is how long a unit takes now.
Leverage Measure(const UnitBench& bench, const Steps& steps, const TaskGroup& whole,
                 std::uint32_t index, DurationNs unchanged) {
  Leverage result;
  result.group = index;
  const TaskGraph& graph = bench.graph();
  const TaskGroup group = Changeable(bench, whole);
  for (TaskId task : group.tasks) {
    if (!bench.IsInUnit(task)) continue;
    ++result.count;
    (graph.IsHost(task) ? result.host : result.device) += CostOf(graph, task);
  }
  std::uint32_t stretches = 0;
  for (const GapShare& gap : group.gaps) {
    const DurationNs part = InUnit(bench, steps, gap);
    stretches += part > 0 ? 1 : 0;
    result.host += part;
  }
  if (result.count == 0) result.count = stretches;
  result.device = bench.unit().MeanOfRun(result.device);
  result.host = bench.unit().MeanOfRun(result.host);
  if (result.count == 0) return result;
  auto gain = [&](DurationNs tenths) {
    return unchanged - bench.Length(Scale(graph, group, tenths));
  };
  result.gain_10 = gain(9);
  result.gain_50 = gain(5);
  result.gain_free = gain(0);
  return result;
}

}  // namespace

LeverageReport MeasureLeverage(const TaskGraph& graph, const Steps& steps, const Unit& unit,
                               const std::vector<TaskGroup>& groups, unsigned threads) {
  const UnitBench bench(graph, steps, unit);
  const Schedule replay = Simulate(bench.graph());
  const DurationNs unchanged = bench.Length(replay);
  LeverageReport report;
  report.trust = JudgeTrust(bench, steps, replay);
  report.unit = unit;
  report.simulated = unchanged;
  report.items.resize(groups.size());
  ForEachOnThreads(groups.size(), threads, [&](std::size_t i, unsigned) {
    report.items[i] = Measure(bench, steps, groups[i], static_cast<std::uint32_t>(i), unchanged);
  });
  std::stable_sort(report.items.begin(), report.items.end(),
                   [](const Leverage& a, const Leverage& b) {
                     return std::pair(a.gain_50, a.gain_free) > std::pair(b.gain_50, b.gain_free);
                   });
  return report;
}

}  // namespace xsp
