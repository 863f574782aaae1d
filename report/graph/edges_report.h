#pragma once

#include <string>

#include "graph/readings/edges.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "report/tables/report.h"

namespace xsp {

// A part of a graph as nodes and edges: the tasks that were measured to begin within it, and the
// edges between them, as one replay resolved them.
struct GraphExcerpt {
  std::vector<TaskId> tasks;
  std::vector<Edge> edges;
  std::vector<std::uint8_t> decides;  // Per edge: it was the latest of those into its point.
};
GraphExcerpt ExcerptOf(const TaskGraph& graph, const Schedule& replay, const Answers& answers,
                       TimeRange part);

// All nodes (begin, own time) and edges (type, weight) as two tables, and as JSON.
Report MakeEdgesReport(const TaskGraph& graph, const Schedule& replay, const GraphExcerpt& excerpt,
                       const TraceSource& source, const Window& window);

// The same as a picture for Graphviz: tasks in a box per thread and stream, deciding edges bold.
std::string GraphDot(const TaskGraph& graph, const GraphExcerpt& excerpt);

}  // namespace xsp
