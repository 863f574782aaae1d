#pragma once

#include <string>

#include "graph/readings/late_starts.h"
#include "model/time.h"

namespace xsp {

// A sentence for all that stands on a simulation, where it is too far from what was measured; else
// nothing.
std::string ReplayWarning(DurationNs measured, DurationNs simulated);

// What is known of idle time that the graph does not explain, where it is a tenth of it or more.
std::string LateStartWords(const LateStarts& late, DurationNs idle);

}  // namespace xsp
