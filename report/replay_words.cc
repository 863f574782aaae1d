#include "report/replay_words.h"

#include <cmath>

#include "report/units.h"

namespace xsp {

std::string ReplayWarning(DurationNs measured, DurationNs simulated) {
  constexpr double kFarOff = 0.05;
  const double off = ShareOf(simulated - measured, measured);
  if (std::abs(off) <= kFarOff) return "";
  return "In replay it takes " + FormatPercent(std::abs(off)) + (off < 0 ? " less" : " more") +
         ": too far off to trust what follows; xsp graph says what it cannot explain.";
}

}  // namespace xsp
