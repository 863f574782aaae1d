#pragma once

#include <cstdint>
#include <string>

#include "graph/readings/late_starts.h"
#include "model/time.h"

namespace xsp {

// A sentence for all that stands on a simulation, where it is too far from what was measured; else
// nothing.
std::string ReplayWarning(DurationNs measured, DurationNs simulated);

// Behind a good verdict on a graph: a replay of a handful of operations may be right by chance.
// ", as far as 7 operations tell"; nothing where there are enough.
std::string FewOperationsWords(std::uint32_t operations);

// What is known of idle time that the graph does not explain, where it is a tenth of it or more.
std::string LateStartWords(const LateStarts& late, DurationNs idle);

}  // namespace xsp
