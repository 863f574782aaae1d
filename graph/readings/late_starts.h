#pragma once

#include <cstdint>

#include "graph/readings/idle.h"
#include "graph/task_graph.h"

namespace xsp {

// Work that the device began late although its call had returned and nothing it waits for was still
// running: a part of the idle time that the graph does not explain.
struct LateStarts {
  DurationNs ns = 0;
  std::int64_t count = 0;
  std::int64_t first_of_name = 0;  // Operations that are the first of their name in the trace.
};

LateStarts FindLateStarts(const TaskGraph& graph, const IdleReport& idle);

}  // namespace xsp
