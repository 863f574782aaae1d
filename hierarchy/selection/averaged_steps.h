#pragma once

#include <string>

#include "hierarchy/selection/selection.h"
#include "hierarchy/steps/step_set.h"

namespace xsp {

// The steps whose mean a command shows, and the words for that in its first line.
struct AveragedSteps {
  StepSet steps;
  std::string text;  // "mean of steps 2-5 of 5 (cold: 1)".
};

// By default the steady steps without the shortest and the longest fifth; steps that were chosen as
// they are; the whole trace where all were asked for, and where there are no steps. Throws Error
// for steps that do not exist.
AveragedSteps StepsToAverage(const Steps& steps, const StepChoice& choice);

}  // namespace xsp
