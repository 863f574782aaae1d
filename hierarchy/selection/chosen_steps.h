#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/selection/selection.h"
#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/steps.h"
#include "model/select.h"
#include "model/trace.h"

namespace xsp {

// Throws Error, with a list of those that there are, for a kind that no step has.
void ExpectKind(const Steps& steps, const std::string& kind);

// The steps that were asked for, as indices into Steps::steps, ascending. Throws Error for steps
// that the trace does not have.
std::vector<std::uint32_t> ChosenSteps(const Steps& steps, const StepChoice& choice);

// The steps that figures are means over: those that were asked for, as they are; by default the
// counted ones. Throws Error for steps that the trace does not have.
CountedSteps StepsToCount(const Steps& steps, const StepChoice& choice);

// Takes away what does not belong to the chosen steps: host events by where they begin, device work
// by where it was launched.
void LimitToSteps(const Trace& trace, const Steps& steps, const std::vector<std::uint32_t>& chosen,
                  EventMask& keep);

}  // namespace xsp
