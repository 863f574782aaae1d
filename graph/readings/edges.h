#pragma once

#include <cstdint>
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
};

// Calls f with each edge: those into host tasks first, by the task they lead to.
void ForEachEdge(const TaskGraph& graph, const Answers& answers,
                 const std::function<void(const Edge&)>& f);
// All of them, in that order.
std::vector<Edge> ListEdges(const TaskGraph& graph, const Answers& answers);

// How long a load waits for a batch that nothing in the graph leads to; 0 for all others.
DurationNs WaitAlone(const TaskGraph& graph, const Answers& answers, TaskId task);

// The rule behind Answers::other, and its latency.
Rule RuleBetweenStreams(const TaskGraph& graph, TaskId op, TaskId source);
ConstantId LatencyBetweenStreams(const TaskGraph& graph, Rule rule);

}  // namespace xsp
