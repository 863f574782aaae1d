#pragma once

#include <utility>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/unit/gpu_span.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// What became of one step.
struct StepError {
  std::uint32_t step = 0;
  DurationNs measured = 0;
  DurationNs simulated = 0;
  double error = 0;  // simulated / measured - 1.
  StepRole role = StepRole::kCounted;
};

// How well a simulation of the unchanged graph reproduces what was measured.
struct ReplayError {
  DurationNs measured = 0;  // The GPU span.
  DurationNs simulated = 0;
  double error = 0;             // simulated / measured - 1.
  double whole_span_error = 0;  // The same for all tasks, host tasks included.
  std::uint32_t steps = 0;      // Whole steps, also those that do not count.
  double step_mean_abs_error = 0;
  double step_max_abs_error = 0;
  std::uint32_t counted_steps = 0;  // Of these, those that count.
  double counted_mean_abs_error = 0;
  double counted_max_abs_error = 0;
  std::vector<StepError> step_errors;  // One per whole step.
  DurationNs kernel_start_error = 0;   // Mean distance between simulated and measured starts.
};
ReplayError CompareReplay(const TaskGraph& graph, const Schedule& replay, const Steps& steps,
                          TimeRange part = kAllTime);

// The overlay in which every kernel, collectives included, takes half as long.
Overlay HalveKernels(const TaskGraph& graph);

// Makes the waits of a rule part of their calls' own cost, as a tool would that takes a call's
// measured duration for work: nothing waits by this rule any more, but nothing gets faster either.
void Freeze(const TaskGraph& graph, Rule rule, Overlay& overlay);

// What becomes of the GPU span when every kernel takes half as long, as a share of the measured
// one: with all rules, and with each one frozen that is kCanFreeze. Replay alone says nothing about
// waits; this does.
struct HalvingTest {
  double gpu_span_share = 0;
  std::vector<std::pair<Rule, double>> frozen;
};
HalvingTest RunHalvingTest(const TaskGraph& graph, TimeRange part = kAllTime);

// Time in calls of more than 50 µs, and how much of it the graph explains as waiting.
struct LongCalls {
  DurationNs total = 0;
  DurationNs explained = 0;
};
LongCalls ExplainLongCalls(const TaskGraph& graph, TimeRange part = kAllTime);

}  // namespace xsp
