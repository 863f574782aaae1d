#pragma once

#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// Begins a graph that is made of tasks of another one: copies its frame and fills the columns. Task
// i of `to` is what task source[i] of `from` was; where source[i] is beyond `from`, or none, it is
// something new, and its row is left for the caller to fill in. The first `hosts` are host tasks.
// Left out is what joins tasks: first_op and call, hand-offs, node orders, collectives, places on
// channels; and threads.
void CopyTasks(const TaskGraph& from, const std::vector<TaskId>& source, std::size_t hosts,
               TaskGraph& to);

}  // namespace xsp
