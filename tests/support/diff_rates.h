#pragma once

#include <cstdint>

#include "tests/support/noisy_run.h"

namespace xsp::test {

// What came of pairs of generated runs, as shares of all pairs.
struct DiffRates {
  double regression = 0;
  double improvement = 0;
  double cannot_tell = 0;
  double placed = 0;   // A regression whose largest row is in the layer that was made slower.
  double matched = 0;  // No kernel counts as added or removed.
};

// Compares so many pairs, each with noise of its own and a drift of up to `drift` within each run.
// The same arguments give the same rates.
DiffRates RatesOf(std::uint32_t pairs, NoisyRun base, NoisyRun now, double drift);

}  // namespace xsp::test
