// Ranges against known truth, on a few programs; ./dev accuracy asks many.
#include <catch2/catch.hpp>
#include <vector>

#include "base/quantile.h"
#include "tests/proof/ranges/coverage.h"

namespace xsp::proof {
namespace {

std::vector<RangeResult> SomeResults() {
  std::vector<RangeResult> all;
  for (const auto* structures : {&CalibrationStructures(), &HeldOutStructures()}) {
    for (const Structure& structure : *structures) {
      for (std::uint64_t seed : {31, 32, 33}) {
        for (RangeResult& result : RunProgram(structure, seed)) all.push_back(std::move(result));
      }
    }
  }
  return all;
}

TEST_CASE("ranges hold the truth 8 times in 10, and no best case is beaten", "[proof]") {
  const std::vector<RangeResult> all = SomeResults();
  CHECK(all.size() >= 80);
  std::size_t covered = 0;
  std::vector<double> widths;
  for (const RangeResult& result : all) {
    INFO(result.structure << ", " << result.change << ": truth " << result.truth << ", forecast "
                          << result.forecast.forecast);
    const Forecast& forecast = result.forecast;
    CHECK(forecast.fast < forecast.forecast);
    CHECK(forecast.forecast < forecast.slow);
    CHECK(forecast.bound <= forecast.fast);
    CHECK_FALSE(result.BeatsBound());
    covered += result.Covers() ? 1 : 0;
    widths.push_back(result.HalfWidth());
  }
  CHECK(static_cast<double>(covered) >= 0.8 * static_cast<double>(all.size()));
  CHECK(UpperMedian(widths) <= 0.05);
}

}  // namespace
}  // namespace xsp::proof
