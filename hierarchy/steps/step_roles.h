#pragma once

#include <vector>

#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_class.h"
#include "model/trace.h"

namespace xsp {

// Gives each step its role, and finds their period. The one place that decides which steps count:
//
// Steps of several kinds (prefill, decode) are judged kind by kind.
//
// - left out: unfinished ones (marked already); the last one, where it holds less work than any
//   other of its kind; those of which the profiler itself took more than 5 %, unless that is most
//   of them; those that decode before the batch is as full as usual, and after it was so for the
//   last time; and what lies beyond whole periods.
// - cold: the first ones, as long as each takes more than 2 % and more than 5 robust deviations
//   more than those that follow, or is longer by more than 2 % of its time for one-time costs (what
//   the host does beside a busy device makes no step longer); by more than a quarter, where fewer
//   than three follow. At most half of all.
// - outlier: more than 20 % and more than 5 robust deviations from the median of the warm ones;
// none
//   where fewer than 5 are warm, and none where it would be more than a fifth of them: then the
//   program has two speeds, and neither is the odd one.
// - counted: all others.
//
// Steps are compared with those at the same place of their period: an optimizer that runs in every
// fourth step makes neither cold steps nor outliers.
void AssignRoles(const Trace& trace, const KernelKinds& kinds,
                 const std::vector<LaunchedWork>& launched, Steps& steps);

}  // namespace xsp
