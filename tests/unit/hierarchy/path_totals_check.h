#pragma once

#include <string>
#include <vector>

#include "hierarchy/totals/path_totals.h"

namespace xsp {

// What must hold at every path, else our sums are wrong: children add up to what is above them, and
// samples to the total; busy time exceeds neither the sum (whole graphs aside) nor, on a device,
// the wall time; a whole trace's root holds all device time of all tracks; coverage adds up.
// Returns what does not hold, in words; nothing if all is well.
std::vector<std::string> FaultsOf(const PathTotals& totals);

}  // namespace xsp
