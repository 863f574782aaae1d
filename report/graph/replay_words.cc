#include "report/graph/replay_words.h"

#include <cmath>

#include "report/tables/units.h"

namespace xsp {

std::string ReplayWarning(DurationNs measured, DurationNs simulated) {
  constexpr double kFarOff = 0.05;
  const double off = ShareOf(simulated - measured, measured);
  if (std::abs(off) <= kFarOff) return "";
  return "In replay it takes " + FormatPercent(std::abs(off)) + (off < 0 ? " less" : " more") +
         ": too far off to trust what follows; xsp graph says what it cannot explain.";
}

std::string FewOperationsWords(std::uint32_t operations) {
  constexpr std::uint32_t kEnough = 20;
  if (operations >= kEnough) return "";
  return ", as far as " + std::to_string(operations) +
         (operations == 1 ? " operation tells" : " operations tell");
}

}  // namespace xsp
