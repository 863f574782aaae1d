#pragma once

#include <string>

#include "hierarchy/steps/steps.h"

namespace xsp {

// How many steps of each kind there are: "1 step: decode, 32 requests, 32 tokens", "3 steps:
// prefill 2, decode 1". Empty where frameworks tell no kinds.
std::string KindWords(const Steps& steps);

}  // namespace xsp
