#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/selection/selection.h"
#include "hierarchy/steps/steps.h"
#include "model/select.h"
#include "model/trace.h"

namespace xsp {

// The steps that were asked for, as indices into Steps::steps, ascending. Throws Error for steps
// that the trace does not have.
std::vector<std::uint32_t> ChosenSteps(const Steps& steps, const StepChoice& choice);

// "steps 2-5 of 7", "step 3 of 7", "steps 1,3-4 of 7". A long list is not written out: "steps 3-212
// of 220, 187 of them".
std::string StepWords(const Steps& steps, const std::vector<std::uint32_t>& chosen);
// The same with the whole list, for scripts.
std::string AllStepWords(const Steps& steps, const std::vector<std::uint32_t>& chosen);

// Takes away what does not belong to the chosen steps: host events by where they begin, device work
// by where it was launched.
void LimitToSteps(const Trace& trace, const Steps& steps, const std::vector<std::uint32_t>& chosen,
                  EventMask& keep);

}  // namespace xsp
