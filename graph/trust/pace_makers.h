#pragma once

#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// Threads that run beside the steps, by all that was recorded, and yet go on at the same place of
// nearly every step; and those of a process that each launch a part of its steps, and pause in most
// of them, as stages do. Whether they wait for the steps, steps for them, or one for another, no
// row tells. Only where system calls were not recorded: these would. By track.
std::vector<TrackId> ThreadsInStep(const TaskGraph& graph, const Steps& steps);

// How many times as long as measured threads take for their part of a unit in a simulation of it:
// the slowest. 1 where none of them is there. `in_unit`: per task.
double PaceOfThreads(const TaskGraph& graph, const Schedule& schedule,
                     const PerTask<std::uint8_t>& in_unit, const std::vector<TrackId>& threads);

}  // namespace xsp
