#pragma once

#include "graph/task_graph.h"
#include "report/tables/table.h"

namespace xsp {

// Kernels that take longer beside others, by how much, and from how many that is known. The table
// has a row for each kernel, the most often slowed first; people see `top` of them.
Table InterferenceTable(const TaskGraph& graph, std::size_t top);

}  // namespace xsp
