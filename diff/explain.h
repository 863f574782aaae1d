#pragma once

#include "diff/comparison.h"

namespace xsp {

// Where the change of the unit comes from: the difference of both critical paths, joined by place
// and kind, and what the replays are short of the measured times. Sums to now_ns() - base_ns()
// exactly; nothing is scaled to make it so. The largest first.
std::vector<Contribution> Explain(const Comparison& comparison);

// What was added, removed, renamed, ...: all of it, those with the most device time first.
std::vector<Change> FindChanges(const Comparison& comparison);

KernelCounts CountKernels(const Comparison& comparison);
Accounting AccountFor(const Comparison& comparison);

}  // namespace xsp
