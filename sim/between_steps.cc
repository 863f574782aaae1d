#include "sim/between_steps.h"

#include <algorithm>

namespace xsp {
namespace {

// Between steps that are simulated one behind the other, for each of these places.
DurationNs MeanPause(const std::vector<SimSpan>& steps) {
  DurationNs sum = 0, count = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].empty() || steps[i - 1].empty()) continue;
    sum += steps[i].begin - steps[i - 1].end;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

DurationNs BetweenAfter(const Unit& unit, const std::vector<SimSpan>& before,
                        const std::vector<SimSpan>& after) {
  if (!unit.is_step) return 0;
  const DurationNs measured = unit.steps.between, was = MeanPause(before), is = MeanPause(after);
  // Few pauses of many may lie in the steps that are simulated: they then tell what becomes of a
  // pause, but not how many there are. Where there are none, nothing tells.
  constexpr DurationNs kNoticed = 10;
  if (was <= 0 || was * kNoticed < measured) return std::max<DurationNs>(0, measured + is - was);
  const double share = static_cast<double>(is) / static_cast<double>(was);
  return static_cast<DurationNs>(static_cast<double>(measured) * share);
}

}  // namespace xsp
