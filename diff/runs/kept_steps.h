#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diff/runs/run.h"
#include "hierarchy/steps/steps.h"
#include "model/trace.h"

namespace xsp {

// The steps of a trace that are samples of a comparison.
struct KeptSteps {
  std::vector<std::uint32_t> steps;  // Ascending: whole periods, one after the other.
  // Steps that make up one sample: the period with which the same work comes again, where the trace
  // holds enough of them. A single step of four of which one runs the optimizer says little.
  std::uint32_t per_sample = 1;
  StepCounts counts;
};

// Which steps count: the steady ones without the tail (the last one, where it runs into the end of
// the program) and those in which the profiler itself was at work. `wished`: these steps instead,
// as they are. Nothing where fewer than kStepsForUnit would be left.
std::optional<KeptSteps> StepsToCompare(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& wished);

}  // namespace xsp
