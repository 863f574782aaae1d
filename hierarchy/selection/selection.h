#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/selection/window.h"
#include "hierarchy/steps/steps.h"
#include "model/select.h"
#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// Steps first to last, counted from 1 as people do; first <= last.
struct StepRun {
  std::size_t first = 1;
  std::size_t last = 1;
};

// Which steps were asked for.
struct StepChoice {
  std::vector<StepRun> runs = {};  // None: all of them.
  bool says_all = false;  // All were asked for by name: the whole trace, not its mean step.
  std::size_t skip = 0;   // So many steps at the beginning are left out; of a kind, of that kind.
  std::string kind = {};  // Only steps of this kind; empty: not asked for.

  // Whether this leaves out no step.
  bool Empty() const { return !NamesSteps() && kind.empty(); }
  // Whether steps were asked for by their numbers.
  bool NamesSteps() const { return !runs.empty() || skip > 0; }
};

// Which part of a trace was asked for: all that is said here together. What is empty limits
// nothing.
struct Selection {
  std::optional<TimeRange> time = {};
  std::string time_text = {};  // As it was asked for: "1.2s-3.4s".
  // RANGE[@DOMAIN][/N]. A text, as only the names in a trace tell what it means (nvtx_ranges.h).
  std::string nvtx = {};
  std::vector<std::uint32_t> devices = {};
  std::vector<std::string> processes = {};  // By id or name.
  std::vector<std::uint32_t> threads = {};
  std::vector<std::uint32_t> streams = {};
  StepChoice steps = {};

  // Whether nothing but steps, or nothing at all, was asked for.
  bool HasNoFilter() const;
};

// Which events are meant, whatever the steps:
// - a time: events that overlap it;
// - an NVTX range: what overlaps it on any track of its process, and device work launched in it;
// - devices, streams: other devices' and streams' work goes, and the calls that issued it;
// - processes: all tracks of the process;
// - threads: the thread's own events and the device work it launched.
// Throws Error, with a suggestion, for a range, device, process, thread or stream that is not in
// the trace.
EventMask MaskOf(const Trace& trace, const Selection& selection);

// What was asked for, in words, whatever the steps; "whole trace" where that is nothing.
Window DescribeSelection(const Selection& selection);
// Puts the chosen steps in front of these words.
void AddSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen, Window& window);

// A trace cut down to what was asked for, and how to name that part.
struct TracePart {
  Trace trace;
  Window window;
  std::vector<TimeRange> ranges = {};  // When the NVTX ranges that were asked for were open.

  // How long it lasts: the time that was asked for; of ranges the time in which one was open or
  // work launched in them ran. None for a part that is not limited in time.
  std::optional<DurationNs> Length() const;
};
// Throws Error for what is not in the trace, and where nothing is left of it. `steps` are those of
// the trace, from a caller that knows them already; else they are found where some were asked for.
TracePart TakePart(Trace trace, const Selection& selection, const Steps* steps = nullptr);

}  // namespace xsp
