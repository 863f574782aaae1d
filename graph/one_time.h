#pragma once

#include "graph/task_graph.h"

namespace xsp {

// What a host task spends on things that happen only once (hierarchy/steps/one_time_costs.h): of
// its own cost, so without what it waited for; 0 for what is not kCold.
DurationNs OneTimeOf(const TaskGraph& graph, TaskId host);

// Own costs without that: the program as it would go on. Empty where nothing is kCold.
PerTask<DurationNs> WarmCosts(const TaskGraph& graph);

}  // namespace xsp
