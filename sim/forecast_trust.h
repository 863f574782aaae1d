#pragma once

#include "graph/trust/path_doubts.h"
#include "graph/trust/trust.h"
#include "model/time.h"
#include "sim/likely_range.h"
#include "sim/two_readings.h"

namespace xsp {

// How far a forecast can be trusted: no further than the graph it was made on, and less where the
// path after the change leads through time that nobody knows. `other_company`: as in Uncertainty.
// `after`: of that path.
Trust TrustOfForecast(const Trust& of_graph, const PathDoubts& after, const TwoReadings& readings,
                      DurationNs other_company, DurationNs forecast);

// And less where its range is wide: who says that it may be far off does not say that it is sure.
void DoubtWideRange(LikelyRange range, DurationNs forecast, Trust& trust);

}  // namespace xsp
