#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/forecast.h"
#include "tests/proof/ranges/random_edit.h"

namespace xsp::proof {

// A forecast with its range, and what really became of the program.
struct RangeResult {
  std::string structure;
  std::string change;
  std::uint8_t evidence = 0;
  TrustLevel trust = TrustLevel::kHigh;
  Forecast forecast;
  DurationNs truth = 0;

  double Error() const;      // Of the forecast.
  double HalfWidth() const;  // Of the range, as a share of the forecast.
  bool Covers() const { return forecast.fast <= truth && truth <= forecast.slow; }
  bool BeatsBound() const { return truth < forecast.bound; }
};

// The sort that a what-if counts as: what it rests on least surely.
enum class RangeSort : std::uint8_t { kStructural, kInserted, kScaling };
RangeSort SortOf(std::uint8_t evidence);

// Draws a program of the structure, and runs it before and after each edit that fits it. The same
// seed gives the same results.
std::vector<RangeResult> RunProgram(const Structure& structure, std::uint64_t seed);

// Named what-ifs of trainings, the options drawn at random.
std::vector<RangeResult> RunNamed(std::uint64_t seed);

}  // namespace xsp::proof
