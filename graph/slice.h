#pragma once

#include "graph/task_graph.h"

namespace xsp {

// A part of a graph: the host tasks that began within a stretch of measured time, and the
// operations they issued. Each thread starts at its measured time, on an idle device. Constants
// stay those of the whole. `task_of` gives, for each task of the part, its number in the whole.
struct GraphSlice {
  TaskGraph graph;
  std::vector<TaskId> task_of;
};
GraphSlice Slice(const TaskGraph& graph, TimeRange time);

}  // namespace xsp
