#include "graph/one_time.h"

#include <algorithm>

#include "hierarchy/hierarchy.h"

namespace xsp {

DurationNs OneTimeOf(const TaskGraph& graph, TaskId host) {
  if (!graph.IsHost(host) || (graph.flags[host] & kCold) == 0) return 0;
  const DurationNs waited = std::max<DurationNs>(0, graph.measured(host) - graph.own[host]);
  const DurationNs cost = graph.hierarchy->steps().one_time.Of(graph.event[host]) - waited;
  return std::clamp<DurationNs>(cost, 0, graph.own[host]);
}

PerTask<DurationNs> WarmCosts(const TaskGraph& graph) {
  PerTask<DurationNs> own;
  for (TaskId host : graph.host_tasks()) {
    const DurationNs cost = OneTimeOf(graph, host);
    if (cost == 0) continue;
    if (own.empty()) own = graph.own;
    own[host] -= cost;
  }
  return own;
}

}  // namespace xsp
