#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/placing/host_ranges.h"
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

// How much of the device work (a share of its time) was launched within ranges of the program or
// its framework; ranges that libraries write of themselves do not count.
double ShareInNamedRanges(const Trace& trace, const HostRanges& ranges);
// Takes all NVTX ranges and operators away: the trace as it is where nobody asked for them.
void LeaveOutRanges(const Trace& trace, EventMask& keep);

}  // namespace xsp
