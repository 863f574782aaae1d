#pragma once

#include <string>

#include "sim/diagnosis/first_look.h"

namespace xsp {

// One or two sentences on what decides how long it takes, by the first rules of two tables that
// apply: one for what a device does, one for why it does nothing. Only the first sentence is a
// verdict; the second tells the rest.
std::string VerdictOn(const FirstLook& look);

}  // namespace xsp
