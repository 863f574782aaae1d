#include "graph/draft.h"
#include "hierarchy/hierarchy.h"

// Calls of a thread, one after the other.
namespace xsp {

// What a call did once is known of the trace (hierarchy/steps/one_time_costs.h); of a call that
// waited, the wait may have been all of it.
void MarkColdCalls(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const OneTimeCosts& costs = graph.hierarchy->steps().one_time;
  if (costs.calls().empty()) return;
  for (TaskId task : graph.host_tasks()) {
    if (graph.kind[task] != TaskKind::kCall || !graph.event[task].valid()) continue;
    const DurationNs waited = graph.measured(task) - graph.own[task];
    if (costs.Of(graph.event[task]) > std::max<DurationNs>(0, waited)) graph.flags[task] |= kCold;
  }
}

}  // namespace xsp
