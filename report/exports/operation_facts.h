#pragma once

#include <vector>

#include "graph/readings/idle.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/task_names.h"
#include "graph/task_places.h"
#include "hierarchy/steps/step_set.h"
#include "model/operation_fact.h"

namespace xsp {

// The facts of all device operations of a graph, in order of time; of `steps` only, where they are
// not the whole trace. `guided` comes from SimulateGuided, `idle` from FindIdle with it. Texts live
// as long as `places`, `names` and the graph do.
std::vector<OperationFact> FactsOfOperations(const TaskGraph& graph, const TaskPlaces& places,
                                             const TaskNames& names, const Schedule& guided,
                                             const IdleReport& idle, const StepSet& steps);

}  // namespace xsp
