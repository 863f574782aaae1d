#include "diff/gates/outcome.h"

#include <algorithm>

namespace xsp {

Outcome OutcomeOf(const Comparison& c, const OutcomeOptions& options) {
  if (c.refused) return Outcome::kNotComparable;
  auto any = [&](GateResult::State state) {
    return std::any_of(c.gates.begin(), c.gates.end(),
                       [&](const GateResult& gate) { return gate.state == state; });
  };
  if (any(GateResult::State::kFails)) return Outcome::kFailed;
  if (any(GateResult::State::kNoData)) return Outcome::kUndecided;
  return any(GateResult::State::kUndecided) && !options.allow_unknown ? Outcome::kUndecided
                                                                      : Outcome::kHolds;
}

}  // namespace xsp
