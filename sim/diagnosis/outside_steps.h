#pragma once

#include <string>

#include "hierarchy/hierarchy.h"

namespace xsp {

// Which series of ranges the steps are, and what else the program did on devices.
struct OutsideSteps {
  std::string taken;  // "Warm-up Step #"; empty: steps were found by what repeats.
  double share = 0;   // Of all device work, what no step launched.
  // The ranges that most of it was launched in, as --nvtx takes them: "warm-up *"; empty: in none.
  std::string largest;
  DurationNs largest_ns = 0;  // Device time of that.
};

OutsideSteps LookOutsideSteps(const Hierarchy& hierarchy);

}  // namespace xsp
