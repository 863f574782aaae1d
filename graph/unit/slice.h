#pragma once

#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// A part of a graph: the host tasks of each thread that began within a stretch of measured time,
// the one after them (so that the end of the stretch has something to be told by), and the
// operations they issued. Each thread starts at its measured time, on an idle device. Constants
// stay those of the whole. `task_of` gives, for each task of the part, its number in the whole.
struct GraphSlice {
  TaskGraph graph;
  PerTask<TaskId> task_of;
};
// `times`: one for each thread.
GraphSlice Slice(const TaskGraph& graph, const std::vector<TimeRange>& times);

}  // namespace xsp
