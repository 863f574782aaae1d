#pragma once

#include <string>

#include "diff/comparison.h"

namespace xsp {

// "56.1 → 15.1 ms of it is one-time cost (first launches 47.8 → 3.5 ms, growing memory 8.3 → 11.6
// ms); without it −4.3 % (103.0 → 98.5 ms); without first launches alone −1.0 % (111.3 → 110.2
// ms)". Empty where it is less than a hundredth of both sides.
std::string OneTimeWords(const Comparison& c);

}  // namespace xsp
