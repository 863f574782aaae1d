#pragma once

#include <vector>

#include "base/user_json.h"
#include "model/names/kernel_rules.h"

namespace xsp {

// The rows of a rule file, in order, marked as not built in. Throws Error.
std::vector<KernelRule> ParseKernelRules(const UserJson& document);

}  // namespace xsp
