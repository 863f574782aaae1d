#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// The steps of a trace that are samples of a comparison: the counted ones.
struct KeptSteps {
  CountedSteps set;
  // Steps that make up one sample: the period with which the same work comes again, where the trace
  // holds enough of them. A single step of four of which one runs the optimizer says little.
  std::uint32_t per_sample = 1;

  const std::vector<std::uint32_t>& steps() const { return set.counted; }
};

// `wished`: these steps, as they are, instead of those that count. Nothing where fewer than
// kStepsForUnit would be left.
std::optional<KeptSteps> StepsToCompare(const Steps& steps,
                                        const std::vector<std::uint32_t>& wished);

}  // namespace xsp
