#include "graph/simulation/scheduler.h"

#include <cstdlib>

#include "graph/interference/interference.h"
#include "graph/simulation/simulation.h"

namespace xsp {
namespace {

// Whether durations that depend on each other have hardly changed from one simulation to the next.
bool HasSettled(const TaskGraph& graph, const PerTask<DurationNs>& before,
                const PerTask<DurationNs>& after) {
  constexpr DurationNs kPart = 2000;  // One in this many is hardly.
  DurationNs change = 0, sum = 0;
  for (TaskId op : graph.ops()) {
    change += std::abs(after[op] - before[op]);
    sum += after[op];
  }
  return change <= sum / kPart;
}

}  // namespace

void Overlay::SetInterval(const TaskGraph& graph, TaskId load, DurationNs ns) {
  if (graph.BatchOf(load) == nullptr) return;
  if (interval.empty()) {
    for (const GraphBatch& batch : graph.batches) interval.push_back(batch.interval);
  }
  interval[graph.question[load].target] = ns;
}

Schedule Simulate(const TaskGraph& graph, const Overlay& overlay, Answers* answers) {
  Schedule schedule = Simulation(graph, overlay, answers, Simulation::Kind::kFree).Run();
  if (!HasInterference(graph, overlay)) return schedule;
  constexpr int kMostTimes = 6;
  const PerTask<DurationNs>& own = overlay.own.empty() ? graph.own : overlay.own;
  Overlay in_company = overlay;
  in_company.own = own;
  for (int i = 0; i < kMostTimes; ++i) {
    PerTask<DurationNs> next = OwnInCompany(graph, own, schedule);
    if (HasSettled(graph, in_company.own, next)) break;
    in_company.own = std::move(next);
    schedule = Simulation(graph, in_company, answers, Simulation::Kind::kFree).Run();
  }
  return schedule;
}

Schedule SimulateGuided(const TaskGraph& graph, Answers* answers) {
  const Overlay unchanged;
  return Simulation(graph, unchanged, answers, Simulation::Kind::kGuided).Run();
}

}  // namespace xsp
