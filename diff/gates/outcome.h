#pragma once

#include <cstdint>

#include "diff/comparison.h"

namespace xsp {

// How it ended, for icons and exit codes.
enum class Outcome : std::uint8_t {
  kHolds,    // All gates hold, or there are none.
  kFailed,   // A gate fails.
  kTrouble,  // Not comparable, or a gate that cannot be checked.
};
struct OutcomeOptions {
  bool force = false;          // Other GPUs are compared all the same.
  bool allow_unknown = false;  // What cannot be told is no trouble.
};
Outcome OutcomeOf(const Comparison& comparison, const OutcomeOptions& options);

}  // namespace xsp
