#pragma once

#include <functional>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// An edge of the graph as one simulation resolved it: a point of `to` comes no earlier than a point
// of `from`, plus a lag. Tasks with their own durations and these edges are all there is: other
// tools' graphs (nodes, edges with type and weight) can be made of them.
struct Edge {
  Rule rule = Rule::kNone;
  TaskId from;
  TaskId to;
  bool from_finish = true;   // Else from its begin.
  bool to_finish = false;    // Else to its begin.
  DurationNs lag = 0;        // What the simulation puts between the two.
  DurationNs least_lag = 0;  // The least that was seen, if below 0 (clocks are skewed).
  ConstantId constant = 0;   // The latency in the lag; 0: there is none.

  SimTime Since(const Schedule& in) const { return (from_finish ? in.finish : in.begin)[from]; }
  SimTime Until(const Schedule& in) const { return (to_finish ? in.finish : in.begin)[to]; }
  // Whether that point came when it did because of this edge.
  bool Binds(const Schedule& in) const {
    return (to_finish ? in.finish_by : in.begin_by)[to] == Binding{from, rule};
  }
};

// The waits of a task, those of its begin first, in place of what is in `edges`: the one list of
// them. The simulation gives it its meaning: a task begins at the latest of its edges (and not
// before its TaskGraph::AnchorOf), and finishes at the latest of its own work and its edges. Own
// work is WorkOf, but for kernels that others slow down. Where a wait is for several in the same
// way, the one that held the task longest stands for all.
void EdgesInto(const TaskGraph& graph, const Answers& answers, TaskId task,
               std::vector<Edge>& edges);

// Calls f with each edge: those into host tasks first, by the task they lead to.
void ForEachEdge(const TaskGraph& graph, const Answers& answers,
                 const std::function<void(const Edge&)>& f);

// How long a task takes if it waits for nobody.
DurationNs WorkOf(const TaskGraph& graph, TaskId task);

}  // namespace xsp
