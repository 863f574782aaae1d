#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/trust/trust.h"
#include "model/time.h"

namespace xsp {

// All that makes a forecast uncertain. Times are of one unit.
struct Uncertainty {
  std::uint8_t evidence = 0;  // What it rests on (Evidence).
  TrustLevel trust = TrustLevel::kHigh;
  DurationNs measured = 0;
  DurationNs forecast = 0;
  // With all durations that are not certain at their fast and at their slow ends.
  DurationNs fast = 0, slow = 0;
  DurationNs other_steps = 0;  // What the simulated steps are apart from the typical one.
  double replay_error = 0;
  DurationNs device_before = 0, device_after = 0;  // All device work.
  double spread = 0;      // Of the measured steps, as a share of their mean;
  std::size_t steps = 1;  // so many.
  // On the path after the change: host time that may be a wait (for a time, for somebody, for the
  // device), and collectives whose other ranks were not recorded.
  DurationNs may_wait = 0;
  DurationNs unseen_ranks = 0;
  // Of both, what may be a wait for another process that does the same work.
  DurationNs for_others = 0;
  // What kernels on that path may take less (above 0) or more (below) with other company on the
  // device than they had.
  DurationNs other_company = 0;
};

// Where the truth lies 8 times in 10: held against generated programs in docs/accuracy.md.
struct LikelyRange {
  DurationNs fast = 0;
  DurationNs slow = 0;
};
LikelyRange LikelyRangeOf(const Uncertainty& of);

// By which share a program may beat what it is said to take at best: by noise alone.
double MarginOfBest(const Uncertainty& of);

}  // namespace xsp
