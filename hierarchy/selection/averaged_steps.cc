#include "hierarchy/selection/averaged_steps.h"

#include "hierarchy/selection/chosen_steps.h"

namespace xsp {

AveragedSteps StepsToAverage(const Steps& steps, const StepChoice& choice) {
  CountedSteps counted = StepsToCount(steps, choice);
  if (counted.empty()) return {StepSet(), std::move(counted), "whole trace (no steps found)"};
  std::string text = WordsOf(counted);
  return {StepSet(counted.counted), std::move(counted), std::move(text)};
}

}  // namespace xsp
