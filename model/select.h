#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace xsp {

// One flag per event of a trace, in the order of its events: not 0 where the event is wanted.
using EventMask = std::vector<std::uint8_t>;

// The trace with only the wanted events, in the same order. Links to calls that are not kept point
// nowhere; everything else (tracks, strings, call chains, info, import log) stays as it is.
Trace Select(const Trace& trace, const EventMask& keep);

}  // namespace xsp
