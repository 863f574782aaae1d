#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.h"
#include "graph/trust/trust.h"
#include "graph/unit/unit.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_names.h"

namespace xsp {

// A part of the untraced host time before a host task.
struct GapShare {
  TaskId task;
  DurationNs ns = 0;
  TimeNs begin = 0;  // When it passed: a gap at the border of a step is that of the step before.
};

// Tasks that an improvement would make faster together.
struct TaskGroup {
  std::string level;  // "class", "kernel", "layer", "call", "range", "host_range".
  std::string name;
  std::vector<TaskId> tasks;
  std::vector<GapShare> gaps = {};  // Untraced host time that belongs to it; by task.
};

// What a group is worth: how much sooner the unit would be over if the group took 10 % less, half,
// or nothing. By simulation, so a group that nobody waits for is worth nothing.
struct Leverage {
  std::uint32_t group = 0;  // Index of the group.
  std::uint32_t count = 0;  // Tasks; stretches of untraced time, where it has no tasks.
  DurationNs device = 0;    // Device time of its operations, in the unit.
  DurationNs host = 0;      // Own cost of its calls (and gaps), in the unit, that comes again.
  DurationNs gain_10 = 0;
  DurationNs gain_50 = 0;
  DurationNs gain_free = 0;
};

// Enough for every group that matters, few enough to simulate each.
inline constexpr std::size_t kGroupsPerLevel = 60;

// Kernel classes, kernels, layers, calls, ranges by the device work launched in them, and ranges by
// the host's time in them: own costs of the calls made in a range and nowhere deeper, and untraced
// time while it was the innermost one open. What other threads did while the main thread had a
// range open is told apart from it, and so is untraced time in which a thread was not scheduled:
// what it does has no part in that. Ranges that number steps are one group: "step #". At most
// `per_level` of each level, the most expensive ones.
std::vector<TaskGroup> LeverageGroups(const TaskGraph& graph, std::size_t per_level,
                                      NameForm kernel_names = NameForm::kShort);

struct LeverageReport {
  Unit unit;                 // What gains are measured on,
  DurationNs simulated = 0;  // and how long one takes in a simulation, unchanged.
  Trust trust;
  std::vector<Leverage> items;  // By gain_50, then gain_free, the largest first; ties by group.
};

// What begins outside a span counts for nothing and gets no faster: it would only move the span. In
// steps everything does, as it would in the program. `threads`: how many to work with; 0: as many
// as the machine has.
LeverageReport MeasureLeverage(const TaskGraph& graph, const Steps& steps, const Unit& unit,
                               const std::vector<TaskGroup>& groups, unsigned threads = 0);

}  // namespace xsp
