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

std::string LateStartWords(const LateStarts& late, DurationNs idle) {
  if (late.ns * 10 < idle || late.ns == 0) return "";
  const bool is_one = late.count == 1;
  std::string text = "Not explained: the GPU began " + FormatCount(late.count) +
                     (is_one ? " operation" : " operations") + " late, by " +
                     FormatDuration(late.ns) +
                     " in all; the calls had returned, nothing was left to wait for, and nothing "
                     "that was recorded tells why.";
  const std::int64_t first = late.first_of_name;
  if (first == 0) return text;
  return text + " " +
         (first == late.count ? (is_one ? "It is" : "All are") : FormatCount(first) + " are") +
         " the first of " + (first == 1 ? "its" : "their") +
         " name; code and memory may have to be made ready on first use.";
}

}  // namespace xsp
