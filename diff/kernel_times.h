#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diff/comparison.h"

namespace xsp {

// Matched kernels whose own time changed, on the critical path or not: one row for each name,
// wherever it runs. How often a kernel runs does not matter, nor does where: launches count as they
// were spread over the program in the base. Rows of less than kRowShare of all device time are left
// out, and with them changes that noise explains (of one value a side: those below
// kLeastOwnChange). The row whose change costs most comes first.
inline constexpr double kLeastOwnChange = 0.01;
std::vector<KernelTime> FindKernelTimes(const Comparison& comparison);

}  // namespace xsp
