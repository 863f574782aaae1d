#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/time.h"

namespace xsp {

// What decides how long a thread waits, told by waits that follow each other.
enum class Pace {
  kUnclear,   // Too few, or all alike.
  kDeadline,  // When it is over: the more the thread had to do before, the shorter it waits.
  kDuration,  // How long it takes: the same, whatever came before.
};

// Waits of one thread in order of time, disjoint. `fewest`: with no more it is unclear. `sure`: by
// how many standard errors the answer must differ from the other one. Where what comes before is
// always the same, or too little against how irregular the waits are, their ends may still be more
// regular than their lengths: on a grid, of which some times may have been missed, or each as long
// after the one before.
Pace PaceOf(const std::vector<TimeRange>& waits, std::size_t fewest, double sure);
// The same where waits may be for somebody who works as regularly: only a grid tells a clock.
Pace PaceOnGrid(const std::vector<TimeRange>& waits, std::size_t fewest, double sure);

// The same by pairs: how long something else took before, and how long was waited then.
Pace PaceOfPairs(const std::vector<std::pair<DurationNs, DurationNs>>& pairs, double sure);

// From the end of one wait to that of the next where no time was missed, median; 0 of less than
// two.
DurationNs PeriodOf(const std::vector<TimeRange>& waits);

// Times that all lie whole periods apart.
struct Grid {
  DurationNs period = 0;
  std::vector<std::int64_t> beats;  // Per wait: after how many periods it was over.
};
// Nothing where waits end at other times, too.
std::optional<Grid> GridOf(const std::vector<TimeRange>& waits);

}  // namespace xsp
