#pragma once

#include <string>
#include <utility>
#include <vector>

#include "importers/merge/clock_fit.h"
#include "model/trace.h"

namespace xsp {

// How a second recording of a run lies on the first one.
struct SameRun {
  ProcessId process;        // Of the first: the one that the second recorded.
  ProcessId recorded;       // Of the second: its process that launches GPU work.
  std::size_t kernels = 0;  // Of the second.
  std::size_t matched = 0;
  bool by_correlation = false;  // Else by their order.
  ClockFit clock;               // To add to the times of the second.
};

// Finds the kernels of `second` among those of `first`: the same name, grid and block, by
// correlation id or, where those were counted otherwise, by their order. Throws Error that says why
// the two are not recordings of one run.
SameRun MatchRuns(const Trace& first, const Trace& second);

}  // namespace xsp
