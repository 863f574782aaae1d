#include <algorithm>

#include "base/quantile.h"
#include "graph/draft.h"

// Calls of a thread, one after the other.
namespace xsp {
namespace {

constexpr DurationNs kColdFactor = 10;
constexpr DurationNs kColdAtLeast = 50'000;

}  // namespace

// A call that took ten times the usual without anything to wait for did something that is done
// once: module loading, first touch, context creation.
void MarkColdCalls(Draft& draft) {
  TaskGraph& graph = draft.graph;
  auto counts = [&](TaskId task) {
    return graph.kind[task] == TaskKind::kCall && (graph.flags[task] & kWaited) == 0;
  };
  PerName<Latencies> durations(draft);
  for (TaskId task : graph.host_tasks()) {
    if (counts(task)) durations[draft.NameOf(task)].push_back(graph.own[task]);
  }
  PerName<DurationNs> usual(draft);
  for (TaskId task : graph.host_tasks()) {
    const StringId name = draft.NameOf(task);
    if (!counts(task) || graph.own[task] <= kColdAtLeast) continue;
    if (usual[name] == 0) usual[name] = std::max<DurationNs>(1, UpperMedian(durations[name]));
    if (graph.own[task] > kColdFactor * usual[name]) graph.flags[task] |= kCold;
  }
}

}  // namespace xsp
