#pragma once

#include <vector>

#include "base/user_json.h"
#include "model/names/framework_names.h"

namespace xsp {

// The rows of a pack, in order, marked as not built in. Throws Error.
std::vector<FrameworkPattern> ParseFrameworkPack(const UserJson& document);

}  // namespace xsp
