#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "hierarchy/steps.h"

namespace xsp {

// The steps whose mean a command shows, and the words for that in its first line.
struct AveragedSteps {
  std::optional<std::vector<std::uint32_t>> steps;  // Ascending. None: the whole trace.
  std::string text;                                 // "mean of steps 2-5 of 5 (cold: 1)".
};

// By default the steady steps without the shortest and the longest fifth; what --steps and --skip
// ask for as it is; the whole trace for --steps all, and where there are no steps. Throws Error for
// steps that do not exist.
AveragedSteps StepsToAverage(const Steps& steps, const StepOptions& options);

}  // namespace xsp
