#pragma once

#include <vector>

#include "graph/sim_time.h"
#include "graph/unit/unit.h"

namespace xsp {

// What lies between steps, for each of them, where it was measured to be unit.steps.between: by the
// same simulations as the steps, before a change and after it. It may be work that the change makes
// shorter, too, or a wait that goes because the steps now take longer.
DurationNs BetweenAfter(const Unit& unit, const std::vector<SimSpan>& before,
                        const std::vector<SimSpan>& after);

}  // namespace xsp
