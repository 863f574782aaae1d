#pragma once

#include "model/trace.h"
#include "report/tables/json.h"

namespace xsp {

// What changes over a part of the time: memory in use by device, and sampled hardware counters, as
// [{name, unit, times, values}], times counted from the part's begin. A counter keeps at most a few
// hundred points; each is the largest value of its stretch.
Json CountersIn(const Trace& trace, TimeRange part);

}  // namespace xsp
