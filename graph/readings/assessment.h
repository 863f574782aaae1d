#pragma once

#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "graph/readings/verify.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/trust/trust.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// How far a graph can be trusted: all figures that judge it.
struct GraphAssessment {
  std::uint32_t ignored_rules = 0;
  std::uint32_t host_tasks = 0;
  std::uint32_t device_tasks = 0;
  std::uint32_t cold_calls = 0;  // Calls with one-time costs,
  DurationNs one_time = 0;       // and how much these come to.
  ReplayError replay;
  HalvingTest halving;
  LongCalls long_calls;
  IdleReport idle;  // Over the GPU span.
  Verification verification;
  Trust trust;  // Of the counted steps, else of the GPU span.
};
// `ignored_rules`: bits 1 << Rule that replay does without. `part`: only tasks that begin in it are
// looked at; what is simulated is always the whole.
GraphAssessment Assess(const TaskGraph& graph, const Steps& steps, std::uint32_t ignored_rules = 0,
                       TimeRange part = kAllTime);

}  // namespace xsp
