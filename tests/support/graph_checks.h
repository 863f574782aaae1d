#pragma once

#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/readings/edges.h"

namespace xsp::test {

// Every edge of a graph, in the order of ForEachEdge.
std::vector<Edge> AllEdges(const TaskGraph& graph, const Answers& answers);

// The path that leads to the last thing that finishes by the end of a span.
CriticalPath FindCriticalPath(const TaskGraph& graph, const Schedule& schedule, SimSpan span);

// Fails the test unless EdgesInto is what the simulation does: every task begins at the latest of
// its edges, finishes at the latest of its own work and its edges, and is bound by one of these.
// Durations that depend on who runs beside whom are left out: they are no edges.
void CheckEdges(const TaskGraph& graph);

// Fails the test unless a task may take longer by its slack without anything ending later, and by
// a microsecond more may not. Simulates twice for each task: graphs that are not small are skipped.
void CheckSlack(const TaskGraph& graph);

}  // namespace xsp::test
