#pragma once

#include <map>
#include <string>
#include <vector>

#include "diff/runs/run.h"

namespace xsp {

// How long ranges of a name were open, step by step.
using RangesByName = std::map<std::string, std::vector<RangeSample>>;

// Ranges that count the steps ("step 7", "step 8") are one, "step #": under names that come once
// there is nothing to compare. Names of which several come in one step ("layer 0") stay.
RangesByName JoinNumbered(RangesByName by_name);

}  // namespace xsp
