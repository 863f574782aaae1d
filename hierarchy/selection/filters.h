#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/select.h"
#include "model/time.h"
#include "model/trace.h"

// Each takes away from a mask what was not asked for; all can be used on one mask. What they mean
// stands in selection.h.
namespace xsp {

void LimitToTime(const Trace& trace, const TimeRange& window, EventMask& keep);
void LimitToRanges(const Trace& trace, const std::vector<EventId>& ranges, EventMask& keep);

// These throw Error for what is not in the trace.
void LimitToDevices(const Trace& trace, const std::vector<std::uint32_t>& devices, EventMask& keep);
void LimitToStreams(const Trace& trace, const std::vector<std::uint32_t>& streams, EventMask& keep);
void LimitToThreads(const Trace& trace, const std::vector<std::uint32_t>& threads, EventMask& keep);
void LimitToProcesses(const Trace& trace, const std::vector<std::string>& processes,
                      EventMask& keep);

}  // namespace xsp
