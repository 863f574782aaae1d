#include "tests/unit/hierarchy/steps/steps_text.h"

#include "hierarchy/steps/steps.h"
#include "tests/support/timeline.h"

namespace xsp::test {

std::string StepsOf(std::string_view timeline) {
  const Steps steps = FindSteps(MakeTrace(timeline));
  std::string text(NameOf(steps.source));
  for (const Step& step : steps.steps) {
    text += "; " + step.name + " " + std::to_string(step.time.begin) + "-" +
            std::to_string(step.time.end) + (step.role == StepRole::kCold ? " cold" : "");
  }
  return text;
}

}  // namespace xsp::test
