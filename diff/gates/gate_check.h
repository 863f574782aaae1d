#pragma once

#include "diff/comparison.h"

namespace xsp {

// Holds a gate against a comparison whose unit and matching are known.
//
// A gate fails when the lower end of the interval exceeds its limit (strict: the estimate), and
// never where the verdict on the same figures says that nothing grew. What is measured once counts
// against the larger of limit and noise. A gate on places fails if one place fails; the more places
// it finds, the wider their intervals. What was accepted counts on top of the limit.
GateResult CheckGate(const Comparison& comparison, const Gate& gate, const CompareOptions& options);

// What --accept would record for a gate that fails.
AcceptedChange AcceptanceOf(const GateResult& result, const std::string& reason,
                            const std::string& today, const std::optional<std::string>& until);

}  // namespace xsp
