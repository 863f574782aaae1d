#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/runs/kept_steps.h"
#include "diff/runs/run.h"
#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// What a run is to be measured by.
struct MeasureOptions {
  bool as_span = false;  // Even where there are steps.
  // The trace is one whose ranges were taken away (LeaveOutRanges).
  bool ranges_left_out = false;
  WishedSteps steps;  // Those to compare.
};

// Takes from a trace what comparisons need: times of its steps (of its GPU span, where it has too
// few), totals by place, and the critical path of each step by place and kind. The graph is that
// of the hierarchy's trace. Throws Error for a trace without device work.
Run MeasureRun(const TaskGraph& graph, const Hierarchy& hierarchy, std::string name,
               const MeasureOptions& options);

}  // namespace xsp
