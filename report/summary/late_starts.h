#pragma once

#include <string>

#include "graph/readings/idle.h"
#include "graph/task_graph.h"

namespace xsp {

// What is known of idle time that the graph does not explain, where it is a tenth of it or more:
// work that the device began late although its call had returned and nothing it waits for was still
// running. Empty where there is little of it.
std::string LateStartWords(const TaskGraph& graph, const IdleReport& idle);

}  // namespace xsp
