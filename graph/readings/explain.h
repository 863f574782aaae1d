#pragma once

#include <string>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// One reason why a task began or finished no earlier.
struct ExplainedEdge {
  bool at_finish = false;  // It holds the task's finish; else its begin.
  Rule rule = Rule::kNone;
  TaskId source;       // None for anchors.
  SimTime since;       // The point it hangs on,
  DurationNs lag = 0;  // what lies between,
  SimTime until;       // and what comes of it.
  bool binds = false;  // It was the latest: it decided.
  std::string why;     // One sentence.
};

// All edges into a task in one simulation of the unchanged graph, those of its begin first.
std::vector<ExplainedEdge> ExplainTask(const TaskGraph& graph, const Schedule& schedule,
                                       const Answers& answers, TaskId task);

}  // namespace xsp
