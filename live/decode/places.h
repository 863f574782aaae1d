#pragma once

#include <utility>
#include <vector>

#include "live/decode/spool_facts.h"
#include "model/building/trace_builder.h"

namespace xsp::live {

// Adds GPUs and contexts, and gives tracks what the spools know of them: names, GPUs, priorities
// and flags. One GPU that several processes used is one GPU: told by its UUID. Call it after all
// events.
void DescribePlaces(const std::vector<std::pair<ProcessId, const SpoolFacts*>>& processes,
                    TraceBuilder& builder);

}  // namespace xsp::live
