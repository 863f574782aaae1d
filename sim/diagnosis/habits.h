#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/task_graph.h"
#include "graph/unit/unit.h"
#include "sim/forecast.h"

namespace xsp {

// A habit of programs that often costs time and that a trace shows by itself. These are what the
// expert rules of `nsys analyze` look for, and some more; the what-if says what it would gain to
// give the habit up, which those rules cannot.
struct HabitRule {
  std::string_view name;    // "pageable-copies".
  std::string_view nsys;    // The rule of `nsys analyze`: "cuda_memcpy_async"; empty: it has none.
  std::string_view one;     // What was found, one of it and several:
  std::string_view many;    // "pageable copies".
  std::string_view whatif;  // As on the command line: "pinned"; empty: nothing simulates it.
  std::string_view cure;    // What the what-if does, before how much: "pinned memory saves".
};

// All rules, in the order in which they are listed.
std::span<const HabitRule> AllHabitRules();

// What was found of one, in a unit: of a step, means over its steps.
struct Habit {
  const HabitRule* rule = nullptr;
  std::uint32_t count = 0;
  DurationNs ns = 0;  // What these took: on the host where it waits there, else on the device.
  // The share of the unit's time that would be gone without it, by simulation; may be less than 0,
  // and is 0 where the what-if finds nothing to change. None where there is no what-if, and before
  // SimulateHabits.
  std::optional<double> gain;
};

// Those of which there is one at least, in the order of the rules. `times`: of the unit (TimesOf).
std::vector<Habit> FindHabits(const TaskGraph& graph, const Unit& unit,
                              const std::vector<TimeRange>& times);

// Runs the what-ifs behind them, and puts those that gain most first; what was not simulated comes
// behind. Of habits that one what-if cures, the one that takes longest keeps the gain: the others
// are gone with it.
void SimulateHabits(const Workbench& workbench, std::vector<Habit>& habits);

}  // namespace xsp
