#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_class.h"
#include "model/trace.h"

namespace xsp {

// After how many steps the same device work comes again: the smallest p <= kLongestPeriod for which
// counted steps i and i + p (of a kind) hold the same. 1 where all are alike, and where nothing
// comes again.
//
// An optimizer that runs in every fourth step, a loss that is read in every second one: a mean over
// steps means something only over whole periods.
inline constexpr std::uint32_t kLongestPeriod = 16;
std::uint32_t FindPeriod(const Trace& trace, const KernelKinds& kinds,
                         const std::vector<LaunchedWork>& launched, const Steps& steps,
                         std::string_view kind);

// The same for a step's content given as one number each; 0 if no period fits.
std::uint32_t PeriodOf(const std::vector<std::uint64_t>& contents);

}  // namespace xsp
