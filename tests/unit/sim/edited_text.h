#pragma once

#include <string>

#include "graph/simulation/scheduler.h"
#include "sim/edit/edit.h"

namespace xsp::test {

// The name of a task of an edited graph: "call 3" and "op 3" by the correlation id of what it was,
// the label in quotes of what was put in.
std::string NameIn(const TaskGraph& graph, TaskId task);

// "0.3-1.3": begin and finish, in microseconds.
std::string TimeOf(const Schedule& schedule, TaskId task);

// When everything happens, in microseconds, a line per thread and stream:
//   T1: call 1 0-1 | 'cast' 1.5-2
//   S7: op 1 2-100
// New threads and streams go by their labels; copies have theirs behind the number.
std::string TimesOf(const TaskGraph& graph, const Schedule& schedule);
std::string TimesOf(const EditedGraph& edited);

// Faults of the graph's structure, if there are any: empty.
std::string FaultsOf(const EditedGraph& edited);

}  // namespace xsp::test
