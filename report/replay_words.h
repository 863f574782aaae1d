#pragma once

#include <string>

#include "model/time.h"

namespace xsp {

// A sentence for all that stands on a simulation, where it is too far from what was measured; else
// nothing.
std::string ReplayWarning(DurationNs measured, DurationNs simulated);

}  // namespace xsp
