#pragma once

#include <string>

#include "graph/readings/critical_path.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "model/time.h"

namespace xsp {

// What was measured and what was simulated, one below the other, as a document in Chrome's trace
// event format, which Perfetto and chrome://tracing show. Holds the tasks that were measured to
// begin within `part`; what an edit put in goes with the call that it follows. With a path, its
// tasks are marked, and it has a track of its own. `before`: where the graph was made by an edit,
// the one that it was made from, whose measured times are shown.
std::string ChromeTimeline(const TaskGraph& graph, const Schedule& schedule, TimeRange part,
                           const CriticalPath* path = nullptr, const TaskGraph* before = nullptr);

}  // namespace xsp
