#pragma once

#include "base/user_json.h"
#include "sim/plan/selector.h"

namespace xsp {

// {"class": "gemm", "phase": "forward", "not": {...}, "any": [{...}], "all": [{...}]}: all
// conditions of an object must hold. Throws Error.
Selector ReadSelector(const UserJson& select);

// The class that an object's "class" names; kOther where it has none.
KernelClass ClassOf(const UserJson& object);

}  // namespace xsp
