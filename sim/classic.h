#pragma once

#include "graph/task_graph.h"

namespace xsp {

// The same program as the Daydream paper (ATC'20) sees it, for a comparison
// with its rules:
//  - a launch's measured duration is host work, though it may hold a wait for a
//  place in the queue;
//  - there is no queue, no copy engine, no wait of an allocation;
//  - synchronizing calls wait, and so do all copies from device to host,
//  asynchronous or not.
TaskGraph ClassicGraph(const TaskGraph& graph);

}  // namespace xsp
