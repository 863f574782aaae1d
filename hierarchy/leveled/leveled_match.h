#pragma once

#include "hierarchy/leveled/run_profile.h"

namespace xsp {

// Throws Error unless both runs have steps that were found in the same way, or both have none.
void CheckSameUnit(const RunProfile& a, const RunProfile& b);

// Throws Error, saying what differs, unless the two are runs of the same program, the second one
// profiled at least as deep: the same GPU, the same ranges equally often at every level that the
// shallower run holds, and about as many device operations.
void CheckSameProgram(const RunProfile& shallow, const RunProfile& deep);

}  // namespace xsp
