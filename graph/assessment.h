#pragma once

#include "graph/idle.h"
#include "graph/replay.h"
#include "graph/scheduler.h"
#include "graph/task_graph.h"
#include "graph/verify.h"
#include "hierarchy/steps.h"

namespace xsp {

// How far a graph can be trusted: all figures that judge it.
struct GraphAssessment {
  ReplayError replay;
  HalvingTest halving;
  LongCalls long_calls;
  IdleReport idle;  // Over the GPU span.
  Verification verification;
};
// `ignored_rules`: bits 1 << Rule that replay does without.
GraphAssessment Assess(const TaskGraph& graph, const Steps& steps, std::uint32_t ignored_rules = 0);

// What forecasts speak of: the median steady step where there are at least 3, else the GPU span.
struct Unit {
  bool is_step = false;
  std::uint32_t step = 0;
  TimeRange time;  // As measured.
};
Unit ChooseUnit(const TaskGraph& graph, const Steps& steps);

}  // namespace xsp
