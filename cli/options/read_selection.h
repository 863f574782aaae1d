#pragma once

#include <optional>
#include <string_view>

#include "cli/options/common_options.h"
#include "hierarchy/selection/selection.h"
#include "model/time.h"

// The words of --time, --steps and their like as what they ask for. What that means in a trace is
// not known here: hierarchy/selection/.
namespace xsp {

// "1.2s-3.4s", "500us-2ms", "1.2-3.4s" (the unit of the end serves both). Throws Error.
TimeRange ParseTimeWindow(std::string_view text);

// "3", "5-15"; nothing for what is neither.
std::optional<StepRun> ParseStepRun(std::string_view text);

// "7", "5-15", "1,3-4", "all". Throws Error.
StepChoice ReadSteps(const StepOptions& options);

// Throws Error for a time or steps that are none.
Selection ReadSelection(const WindowOptions& window, const StepOptions& steps = {});

}  // namespace xsp
