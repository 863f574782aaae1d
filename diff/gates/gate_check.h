#pragma once

#include <vector>

#include "diff/comparison.h"

namespace xsp {

// Holds a gate against a comparison whose unit and matching are known.
//
// A gate fails when the estimate exceeds its limit and the growth itself is more than noise (the
// verdict on the same figures is a regression). It is undecided when the estimate exceeds the
// limit, but noise could have made it so, and when the estimate is within, but growth beyond the
// limit would have gone unseen. Strict: the estimate decides these, too; what is decided stays as
// it is.
//
// A gate on places fails if one place fails; the more places it finds, the wider their intervals.
// What was accepted counts on top of the limit.
GateResult CheckGate(const Comparison& comparison, const Gate& gate, const CompareOptions& options);

// What --accept would record of a gate: a change for it, or for each of its places, that fails.
// `how`: reason, day and until when.
std::vector<AcceptedChange> AcceptancesOf(const GateResult& result, const AcceptedChange& how);

}  // namespace xsp
