#pragma once

#include <cstddef>
#include <optional>

#include "importers/merge/clock_fit.h"
#include "model/trace.h"

namespace xsp {

// The clock of one rank against that of another, by the collectives that both took part in: the
// kernels of a collective end together on all ranks. `guess` is what the time of day says of the
// offset, where it is known. Nothing where no collectives line up.
std::optional<ClockFit> FitRankClock(const Trace& first, const Trace& second,
                                     std::optional<DurationNs> guess);

// The kernels of collectives that a rank took part in.
std::size_t CountCollectives(const Trace& trace);

}  // namespace xsp
