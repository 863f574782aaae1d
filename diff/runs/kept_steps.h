#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/runs/batches.h"
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

// Which steps are wished for, instead of those of the main kind that count.
struct WishedSteps {
  std::vector<std::uint32_t> steps = {};  // These, as they are, ascending; empty: those that count,
  std::string kind = {};                  // of this kind; empty: of the main one;
  std::optional<Batch> batch = {};        // and of these only those with this batch.
};

// Nothing where fewer than kStepsForUnit would be left.
std::optional<KeptSteps> StepsToCompare(const Steps& steps, const WishedSteps& wished);

}  // namespace xsp
