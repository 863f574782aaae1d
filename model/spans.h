#pragma once

#include <optional>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// From the first begin to the last end of what the program did: all events except those that stand
// for nothing it did in the capture (graph objects made before it, scheduling, samples, metrics,
// profiler overhead). Empty for a trace without such events.
std::optional<TimeRange> ProgramSpan(const Trace& trace);

// From the begin of the first device operation to the end of the last one.
std::optional<TimeRange> GpuSpan(const Trace& trace);

// Sorted; ranges that overlap or touch are one.
std::vector<TimeRange> Merged(std::vector<TimeRange> ranges);

// The length of the union of ranges: time in which at least one of them was open.
DurationNs UnionLength(std::vector<TimeRange> ranges);

}  // namespace xsp
