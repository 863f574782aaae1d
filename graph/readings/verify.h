#pragma once

#include <array>
#include <string>
#include <vector>

#include "graph/readings/replay.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// An edge that the measured times do not respect.
struct Violation {
  Rule rule = Rule::kNone;
  TaskId task;        // What should have waited,
  TaskId source;      // for this.
  DurationNs by = 0;  // How much too early it was.
};

// What a check of a graph found.
struct Verification {
  std::vector<std::string> faults;  // Broken invariants: our own mistakes. Empty if sound.
  std::array<std::uint32_t, kRuleCount> edges{};     // Edges by rule, in the measured order.
  std::array<std::uint32_t, kRuleCount> violated{};  // Of these, violated ones.
  std::vector<Violation> violations;                 // The largest first (ties: by task).
};

// Checks the structure of a graph, that everything in it comes to pass (there is no cycle, every
// task is reached), and every edge against the measured times. `replay` is an unchanged simulation;
// `answers` come from SimulateGuided. Edges are those into tasks that begin in `part`.
Verification Verify(const TaskGraph& graph, const Schedule& replay, const Answers& answers,
                    TimeRange part = kAllTime);

}  // namespace xsp
