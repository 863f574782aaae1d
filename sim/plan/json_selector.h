#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/user_json.h"
#include "sim/plan/plan.h"

namespace xsp {

// Which work a change of a user is about: all that fits, or some of it by its order in time.
struct UserSelection {
  enum class Pick : std::uint8_t { kAll, kFirst, kLast, kEvery };

  Selector selector;
  Pick pick = Pick::kAll;
  std::uint32_t number = 0;  // The first or last so many; every so-manieth.
  std::string text = {};     // "class=gemm, every 10": for tables and JSON.

  std::vector<TaskId> Of(const Plan& plan) const;  // In the order of their numbers.
};

// {"class": "gemm", "phase": "forward", "not": {...}, "any": [{...}], "all": [{...}], "first": 3}:
// all conditions of an object must hold. Throws Error.
UserSelection ReadSelection(const UserJson& select);
// The same without first, last and every.
Selector ReadSelector(const UserJson& select);

// The class that an object's "class" names; kOther where it has none.
KernelClass ClassOf(const UserJson& object);

}  // namespace xsp
