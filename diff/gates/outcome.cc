#include "diff/gates/outcome.h"

#include <algorithm>

namespace xsp {

Outcome OutcomeOf(const Comparison& c, const OutcomeOptions& options) {
  if (!c.comparable && !options.force) return Outcome::kTrouble;
  auto any = [&](GateResult::State state) {
    return std::any_of(c.gates.begin(), c.gates.end(),
                       [&](const GateResult& gate) { return gate.state == state; });
  };
  if (any(GateResult::State::kFails)) return Outcome::kFailed;
  if (any(GateResult::State::kNoData)) return Outcome::kTrouble;
  return any(GateResult::State::kUnknown) && !options.allow_unknown ? Outcome::kTrouble
                                                                    : Outcome::kHolds;
}

}  // namespace xsp
