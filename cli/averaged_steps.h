#pragma once

#include <string>

#include "cli/common_options.h"
#include "hierarchy/step_set.h"

namespace xsp {

// The steps whose mean a command shows, and the words for that in its first line.
struct AveragedSteps {
  StepSet steps;
  std::string text;  // "mean of steps 2-5 of 5 (cold: 1)".
};

// By default the steady steps without the shortest and the longest fifth; what --steps and --skip
// ask for as it is; the whole trace for --steps all, and where there are no steps. Throws Error for
// steps that do not exist.
AveragedSteps StepsToAverage(const Steps& steps, const StepOptions& options);

}  // namespace xsp
