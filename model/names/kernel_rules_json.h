#pragma once

#include <string_view>
#include <vector>

#include "model/names/kernel_rules.h"

namespace xsp {

// The rows of a rule file, in order, marked as not built in. Throws Error, which names `source`
// and the rule that is wrong.
std::vector<KernelRule> ParseKernelRules(std::string_view json, std::string_view source);

}  // namespace xsp
