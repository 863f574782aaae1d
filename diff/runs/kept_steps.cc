#include "diff/runs/kept_steps.h"

#include <utility>

namespace xsp {
namespace {

// Whether the steps are whole periods, enough of them to be samples.
bool AreWholePeriods(const std::vector<std::uint32_t>& steps, std::uint32_t period) {
  if (steps.size() % period != 0 || steps.size() < kStepsForUnit * period) return false;
  for (std::size_t i = 0; i < steps.size(); i += period) {
    if (steps[i + period - 1] - steps[i] != period - 1) return false;
  }
  return true;
}

}  // namespace

std::optional<KeptSteps> StepsToCompare(const Steps& steps, const WishedSteps& wished) {
  KeptSteps kept;
  kept.set = wished.steps.empty()
                 ? CountSteps(steps, wished.kind.empty() ? steps.main_kind : wished.kind)
                 : CountSteps(steps, wished.steps);
  if (wished.batch) kept.set = WithBatch(steps, kept.set, *wished.batch);
  if (kept.steps().size() < kStepsForUnit) return std::nullopt;
  if (AreWholePeriods(kept.steps(), steps.period)) kept.per_sample = steps.period;
  return kept;
}

}  // namespace xsp
