#pragma once

#include <string>

#include "diff/comparison.h"

namespace xsp {

// Why a limit cannot be judged by these recordings: what it needs was not recorded in each run, or
// the sides are not as long. Empty: it can.
std::string WhyNoData(const Comparison& comparison, const Gate& gate);

}  // namespace xsp
