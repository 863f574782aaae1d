#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/common_options.h"
#include "hierarchy/steps.h"
#include "model/select.h"
#include "model/time.h"
#include "model/trace.h"
#include "report/report.h"

namespace xsp {

// "1.2s-3.4s", "500us-2ms", "1.2-3.4s" (the unit of the end serves both). Throws Error.
TimeRange ParseTimeWindow(std::string_view text);

// Which events the options ask for, all of them together:
// - a time: events that overlap it;
// - an NVTX range: what overlaps it on any track of its process, and device work launched in it;
// - devices, streams: other devices' and streams' work goes, and the calls that issued it;
// - processes: all tracks of the process;
// - threads: the thread's own events and the device work it launched.
// Throws Error, with a suggestion, for a range, device, process, thread or stream that is not in
// the trace.
EventMask MaskOf(const Trace& trace, const WindowOptions& options);

// What the options ask for, in words; "whole trace" where that is nothing. Throws Error for a time
// that is none.
Window DescribeWindow(const WindowOptions& options);
// Puts the chosen steps in front of these words.
void AddSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen, Window& window);

// A trace cut down to what was asked for, and how to name that part.
struct WindowedTrace {
  Trace trace;
  Window window;
};
WindowedTrace ApplyWindow(Trace trace, const WindowOptions& options,
                          const StepOptions& step_options);

}  // namespace xsp
