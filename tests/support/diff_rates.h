#pragma once

#include <cstdint>
#include <string_view>

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

// How often a limit failed, and how often it was undecided, of all pairs.
struct GateRates {
  std::uint32_t fails = 0;
  std::uint32_t undecided = 0;
  std::uint32_t holds_above = 0;  // It held although its estimate was beyond it: never.
};

// Compares so many pairs of `runs` runs a side under a limit; runs differ by `run_sigma` among each
// other, and the new ones take longer by `growth`.
struct RepeatedRuns {
  std::uint32_t runs = 3;
  double run_sigma = 0.01;
  double growth = 0;
  NoisyRun run;  // What they have in common.
};
GateRates GateRatesOf(std::uint32_t pairs, const RepeatedRuns& repeated, std::string_view limit);

}  // namespace xsp::test
