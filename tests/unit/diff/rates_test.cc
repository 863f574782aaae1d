#include <catch2/catch.hpp>

#include "tests/support/diff_rates.h"

namespace xsp {

// What diff_bench prints as tables, held against the limits. The seeds are fixed: a change of the
// statistics that cries wolf more often fails here, not by chance.
TEST_CASE("runs that differ only in noise are rarely called a regression") {
  double regressions = 0;
  for (double sigma : {0.01, 0.02, 0.03, 0.05}) {
    test::NoisyRun run;
    run.sigma = sigma;
    run.seed = 1000 + static_cast<std::uint64_t>(1e4 * sigma);
    const test::DiffRates rates = test::RatesOf(50, run, run, 0.05);
    regressions += 50 * rates.regression;
  }
  CHECK(regressions <= 4);  // 2 % of 200 pairs.
}

TEST_CASE("a step that grows by 3 percent in one layer is found and placed") {
  test::NoisyRun base;
  base.sigma = 0.01;
  test::NoisyRun now = base;
  now.slow_layer = 5;
  now.growth = 0.03;
  now.renamed = true;
  now.seed = 77;
  const test::DiffRates rates = test::RatesOf(100, base, now, 0);
  CHECK(rates.regression >= 0.95);
  CHECK(rates.placed >= 0.95);
  CHECK(rates.matched == 1);
}

// Whole traces of 20 steps, three runs a side that differ by 1 %.
TEST_CASE("three runs a side find 5 percent, and hardly ever what is not there") {
  test::RepeatedRuns grown;
  grown.growth = 0.05;
  grown.run.seed = 23;
  CHECK(test::GateRatesOf(6, grown, "step > 3%").fails == 6);

  test::RepeatedRuns same;
  same.run.seed = 24;
  const test::GateRates rates = test::GateRatesOf(60, same, "step > 3%");
  CHECK(rates.fails <= 1);
  CHECK(rates.undecided <= 4);
  CHECK(rates.holds_above == 0);
}

}  // namespace xsp
