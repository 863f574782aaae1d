#pragma once

#include <string>

#include "sim/diagnosis/diagnosis.h"
#include "sim/diagnosis/first_look.h"

namespace xsp {

// The diagnosis, and a sentence on what the devices do, by the first rule of a table that applies.
std::string VerdictOn(const FirstLook& look, const Diagnosis& diagnosis);

}  // namespace xsp
