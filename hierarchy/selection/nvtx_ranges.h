#pragma once

#include <string>
#include <vector>

#include "model/ids.h"
#include "model/trace.h"

namespace xsp {

// The ranges that "RANGE[@DOMAIN][/N]" means, in order of time: all of that name, or the N-th of
// them, counted from 0. Throws Error, with a suggestion, if there is none.
std::vector<EventId> FindNvtxRanges(const Trace& trace, const std::string& text);

}  // namespace xsp
