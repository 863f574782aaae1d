#pragma once

#include "model/trace.h"

namespace xsp {

// Fills the table of operators from the texts of the trace's NVTX ranges. The ranges stay as they
// are: NVIDIA's own tables count them by their whole text. Replaces what the table held.
Trace DecodeOperators(Trace trace);
// The same for tables of which no Trace was made yet: they are checked once, with their operators.
Trace DecodeOperators(TraceTables tables);

}  // namespace xsp
