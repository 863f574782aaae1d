#pragma once

#include <cstdint>

#include "diff/comparison.h"

namespace xsp {

// How it ended, for icons and exit codes.
enum class Outcome : std::uint8_t {
  kHolds,          // All gates hold, or there are none.
  kFailed,         // A gate fails.
  kUndecided,      // None fails, but noise does not let check one, or its data is missing.
  kNotComparable,  // Other GPUs.
};
struct OutcomeOptions {
  bool allow_unknown = false;  // What noise does not let check passes.
};
Outcome OutcomeOf(const Comparison& comparison, const OutcomeOptions& options);

}  // namespace xsp
