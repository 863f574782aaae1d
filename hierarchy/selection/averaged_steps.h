#pragma once

#include <string>

#include "hierarchy/selection/selection.h"
#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/step_set.h"

namespace xsp {

// The steps whose mean a command shows, and the words for that in its first line.
struct AveragedSteps {
  StepSet steps;
  CountedSteps counted;
  std::string text;  // "5 steps, 4 of them 125.0 ms (±1.3 %), step 1 is cold: 182.0 ms".
};

// By default the counted steps; steps that were chosen, or all of them, as they are; the whole
// trace where there are no steps. Throws Error for steps that do not exist.
AveragedSteps StepsToAverage(const Steps& steps, const StepChoice& choice);

}  // namespace xsp
