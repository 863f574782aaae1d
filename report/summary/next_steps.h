#pragma once

#include <string>
#include <vector>

#include "report/summary/verdict.h"
#include "sim/diagnosis/fixes.h"
#include "sim/diagnosis/habits.h"

namespace xsp {

// A command worth running next, and why.
struct NextStep {
  std::string command;
  std::string why;
};

// At most two that follow from what was found: first the best fix, then habits that it would gain
// most to give up and that no fix is about. `trace`: the file as a shell wants it.
std::vector<NextStep> NextSteps(const FirstLook& look, const Fixes& fixes,
                                const std::vector<Habit>& habits, const std::string& trace);

}  // namespace xsp
