#include "hierarchy/selection/averaged_steps.h"

#include <algorithm>

#include "hierarchy/selection/chosen_steps.h"

namespace xsp {
namespace {

std::string MeanWords(const Steps& steps, const std::vector<std::uint32_t>& chosen) {
  return (chosen.size() == 1 ? "" : "mean of ") + StepWords(steps, chosen);
}

// "1-2" for the cold ones.
std::string ColdWords(const Steps& steps) {
  std::vector<std::uint32_t> cold;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps.steps[i].cold) cold.push_back(i);
  }
  return cold.empty() ? "" : "cold and left out: " + StepWords(steps, cold);
}

}  // namespace

AveragedSteps StepsToAverage(const Steps& steps, const StepChoice& choice) {
  if (choice.says_all && choice.Empty()) {
    return {StepSet(), "whole trace, " + std::to_string(steps.size()) + " steps"};
  }
  if (!choice.Empty()) {
    const std::vector<std::uint32_t> chosen = ChosenSteps(steps, choice);
    return {chosen, MeanWords(steps, chosen)};
  }
  const std::vector<std::uint32_t> steady = steps.Steady();
  if (steady.empty()) return {StepSet(), "whole trace (no steps found)"};
  const std::vector<std::uint32_t> kept = steps.Trimmed(steady);
  std::string left_out = ColdWords(steps);
  if (kept.size() < steady.size()) {
    left_out +=
        std::string(left_out.empty() ? "" : "; ") + "without the shortest and longest fifth";
  }
  std::string text = MeanWords(steps, kept);
  if (!left_out.empty()) text += " (" + left_out + ")";
  return {kept, text};
}

}  // namespace xsp
