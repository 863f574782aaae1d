#pragma once

#include "hierarchy/hierarchy.h"
#include "report/html/packed.h"
#include "sim/forecast.h"

namespace xsp {

// One simulated unit as a waterfall without waits: calls by thread and operations by stream, in the
// step `step` of the unit's run, or in the span. For programs as they are and as a change would
// make them, which are laid below each other. At most `most_rows` bars; "rows_in_all" tells how
// many there are.
Json SimulatedColumns(const Workbench::Simulated& simulated, const Steps& steps, const Unit& unit,
                      std::uint32_t step, std::size_t most_rows, PackedTexts& texts);

}  // namespace xsp
