#pragma once

#include <vector>

#include "live/decode/decode.h"
#include "live/decode/spool_facts.h"
#include "model/building/trace_builder.h"

namespace xsp::live {

// Adds what the spools themselves report: what was lost, what CUPTI refused, what is odd.
void Summarize(const std::vector<SpoolFacts>& spools, RecordingSummary& summary);

// Says in the trace how it was recorded, and what is missing. `zero`: the host's time that is 0.
void FillInfo(const std::vector<SpoolFacts>& spools, const RecordingSummary& summary, TimeNs zero,
              TraceBuilder& builder);

}  // namespace xsp::live
