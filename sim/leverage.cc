#include "sim/leverage.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "graph/unit_bench.h"

namespace xsp {
namespace {

// The tasks of a group that can change: those that are simulated, and of a span, those in it.
std::vector<std::uint32_t> Changeable(const UnitBench& bench, const TaskGroup& group) {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t whole : group.tasks) {
    const TaskId task = bench.Place(TaskId(whole));
    if (task.valid() && (bench.unit().is_step || bench.IsInUnit(task))) tasks.push_back(task.value);
  }
  return tasks;
}

// The overlay in which these tasks take `tenths` tenths of their time.
Overlay Scale(const TaskGraph& graph, const std::vector<std::uint32_t>& tasks, bool with_gaps,
              DurationNs tenths) {
  Overlay overlay;
  overlay.own = graph.own;
  if (with_gaps) overlay.gap = graph.gap;
  for (std::uint32_t task : tasks) {
    overlay.own[task] = overlay.own[task] * tenths / 10;
    if (with_gaps && graph.IsHost(task)) overlay.gap[task] = overlay.gap[task] * tenths / 10;
  }
  return overlay;
}

// What a group is, and what it would gain; `unchanged` is how long a unit takes now.
Leverage Measure(const UnitBench& bench, const TaskGroup& group, std::uint32_t index,
                 DurationNs unchanged) {
  Leverage result;
  result.group = index;
  const TaskGraph& graph = bench.graph();
  const std::vector<std::uint32_t> tasks = Changeable(bench, group);
  for (std::uint32_t task : tasks) {
    if (!bench.IsInUnit(TaskId(task))) continue;
    ++result.count;
    if (!graph.IsHost(task)) {
      result.device += graph.own[task];
    } else {
      result.host += graph.own[task] + (group.with_gaps ? graph.gap[task] : 0);
    }
  }
  result.device = bench.unit().Mean(result.device);
  result.host = bench.unit().Mean(result.host);
  if (result.count == 0) return result;
  auto gain = [&](DurationNs tenths) {
    return unchanged - bench.Length(Scale(graph, tasks, group.with_gaps, tenths));
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
  const DurationNs unchanged = bench.Length();
  LeverageReport report;
  report.unit = unit;
  report.simulated = unchanged;
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
