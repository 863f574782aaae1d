#pragma once

#include <string>

#include "model/names/kernel_rules.h"
#include "model/trace.h"

namespace xsp {

// Why FindSteps found none in a trace, as half a sentence: "no range names steps, and ...". Speaks
// of the process with the most kernels.
std::string WhyNoSteps(const Trace& trace, const KernelRules& rules = KernelRules::BuiltIn());

}  // namespace xsp
