#include "diff/statistics/estimate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "diff/statistics/noise.h"

namespace xsp {
namespace {

// Values around `mean` with a relative deviation of sigma, drifting by `drift` over the run.
std::vector<double> Values(std::mt19937_64& random, std::size_t n, double mean, double sigma,
                           double drift = 0) {
  std::normal_distribution<double> chance(0, sigma);
  std::vector<double> run;
  for (std::size_t i = 0; i < n; ++i) {
    const double where = (static_cast<double>(i) + 0.5) / static_cast<double>(n) - 0.5;
    run.push_back(mean * (1 + drift * where + chance(random)));
  }
  return run;
}

Verdict VerdictOf(const Series& base, const Series& now) {
  return EstimateChange(base, now, {}).verdict;
}

TEST_CASE("the same values are the same, even one", "[diff]") {
  CHECK(VerdictOf({{{100}}}, {{{100}}}) == Verdict::kSame);
  // With noise of 40 % nothing else could be said of these.
  const Series noisy{{{80, 120, 70, 130, 100}}};
  const Estimate e = EstimateChange(noisy, noisy, {});
  CHECK(e.identical);
  CHECK(e.verdict == Verdict::kSame);
}

TEST_CASE("one value a side says nothing about noise: 10 per cent are assumed", "[diff]") {
  CHECK(VerdictOf({{{100}}}, {{{105}}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{{100}}}, {{{90.1}}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{{100}}}, {{{100.01}}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{{100}}}, {{{110.1}}}) == Verdict::kRegression);
  CHECK(VerdictOf({{{100}}}, {{{89.9}}}) == Verdict::kImprovement);
  CHECK_FALSE(EstimateChange({{{100}}}, {{{105}}}, {}).interval.has_value());
}

TEST_CASE("whoever knows the noise of one value a side can say so", "[diff]") {
  DecisionOptions options;
  options.noise = 0.02;
  CHECK(EstimateChange({{{100}}}, {{{101.9}}}, options).verdict == Verdict::kSame);
  CHECK(EstimateChange({{{100}}}, {{{102.1}}}, options).verdict == Verdict::kRegression);
  options.noise = 0.05;
  CHECK(EstimateChange({{{100}}}, {{{103}}}, options).verdict == Verdict::kCannotTell);
}

TEST_CASE("remembered noise between runs tells single values apart", "[diff]") {
  DecisionOptions options;
  options.remembered = RunNoise{0.005, 20};
  const Estimate e = EstimateChange({{{100}}}, {{{105}}}, options);
  CHECK(e.verdict == Verdict::kRegression);
  REQUIRE(e.interval);
  CHECK(e.interval->low == Approx(1.05 * (1 - 2.086 * 0.005 * std::sqrt(2))).epsilon(1e-3));
  options.remembered = RunNoise{0.05, 20};
  CHECK(EstimateChange({{{100}}}, {{{105}}}, options).verdict == Verdict::kCannotTell);
}

TEST_CASE("three runs of the base tell what one new run may differ by", "[diff]") {
  CHECK(VerdictOf({{{100}, {101}, {99}}}, {{{108}}}) == Verdict::kRegression);
  CHECK(VerdictOf({{{100}, {101}, {99}}}, {{{104}}}) == Verdict::kCannotTell);
}

TEST_CASE("two runs of one value each show their own noise", "[diff]") {
  CHECK(VerdictOf({{{100}, {101}}}, {{{110}, {111}}}) == Verdict::kRegression);
  // One difference may be small by chance: it is no better than none at all, and no worse.
  CHECK(VerdictOf({{{100}, {100.01}}}, {{{103}}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{{100}, {101}}}, {{{115}}}) == Verdict::kRegression);
}

TEST_CASE("noise of several sources counts by what it rests on", "[diff]") {
  CHECK(Pooled({0.01, 4}, {0, 0}) == RunNoise{0.01, 4});
  CHECK(Pooled({0.03, 1}, {0.01, 3}).deviation == Approx(std::sqrt(0.0012 / 4)));
  CHECK(Pooled({0, 0}, {0, 0}) == RunNoise{});
}

TEST_CASE("a clear change of steady steps is told, with its interval", "[diff]") {
  std::mt19937_64 random(7);
  const Series base{{Values(random, 40, 100, 0.01)}};
  const Series now{{Values(random, 40, 107, 0.01)}};
  const Estimate e = EstimateChange(base, now, {});
  CHECK(e.verdict == Verdict::kRegression);
  REQUIRE(e.interval);
  CHECK(e.interval->low > 1.06);
  CHECK(e.interval->high < 1.08);
  CHECK(*e.ratio == Approx(1.07).margin(0.005));
  CHECK(*e.rank_p < 1e-6);
  CHECK(EstimateChange(now, base, {}).verdict == Verdict::kImprovement);
}

TEST_CASE("a change smaller than a side's own drift is none", "[diff]") {
  // Two per cent apart on average, but each side moves by ten per cent.
  std::vector<double> base;
  std::vector<double> now;
  for (int i = 0; i < 40; ++i) {
    base.push_back(100 + 0.25 * i);
    now.push_back(102 + 0.25 * i);
  }
  const Estimate e = EstimateChange({{base}}, {{now}}, {});
  CHECK(e.verdict == Verdict::kCannotTell);
  CHECK(e.floor > 0.07);
  CHECK(e.wanted == 0);  // Thousands of steps: nobody would record them, and drift stays.
}

TEST_CASE("an uncertain change says how many steps would settle it", "[diff]") {
  std::mt19937_64 random(11);
  const Estimate e =
      EstimateChange({{Values(random, 20, 100, 0.04)}}, {{Values(random, 20, 100.2, 0.04)}}, {});
  REQUIRE(e.verdict == Verdict::kCannotTell);
  CHECK(e.wanted > 20);
  CHECK(e.wanted <= 1000);
}

TEST_CASE("no interval of a ratio reaches below zero", "[diff]") {
  const Estimate e = EstimateChange({{{10, 60, 20}}}, {{{15, 95, 50}}}, {});
  CHECK(e.verdict == Verdict::kCannotTell);
  REQUIRE(e.interval);
  CHECK(e.interval->low > 0);
  CHECK(e.interval->low < *e.ratio / 2);
  CHECK(e.wanted == 0);
}

TEST_CASE("steady runs that hardly differ are the same", "[diff]") {
  std::mt19937_64 random(3);
  const Series base{{Values(random, 40, 100, 0.005)}};
  const Series now{{Values(random, 40, 100.1, 0.005)}};
  CHECK(VerdictOf(base, now) == Verdict::kSame);
}

TEST_CASE("a tiny change is the same however sure it is", "[diff]") {
  CHECK(VerdictOf({{{100, 100.001, 100, 100.002}}}, {{{100.4, 100.401, 100.4, 100.402}}}) ==
        Verdict::kSame);
  CHECK(VerdictOf({{{100, 100.001, 100, 100.002}}}, {{{100.6, 100.601, 100.6, 100.602}}}) ==
        Verdict::kRegression);
}

TEST_CASE("runs that differ among each other make a change uncertain", "[diff]") {
  std::mt19937_64 random(5);
  Series base;
  Series now;
  for (double mean : {100.0, 104.0}) base.runs.push_back(Values(random, 40, mean, 0.002));
  for (double mean : {103.0, 107.0}) now.runs.push_back(Values(random, 40, mean, 0.002));
  const Estimate e = EstimateChange(base, now, {});
  CHECK(e.verdict == Verdict::kCannotTell);
  CHECK(e.run_noise_decides);
  CHECK(*e.run_noise == Approx(0.0277).epsilon(0.05));
  // A single run of each could not know, and says what its own steps say.
  CHECK(VerdictOf({{base.runs[0]}}, {{now.runs[0]}}) == Verdict::kRegression);
}

TEST_CASE("runs that agree leave a change as certain as it was", "[diff]") {
  std::mt19937_64 random(5);
  Series base;
  Series now;
  for (int i = 0; i < 3; ++i) base.runs.push_back(Values(random, 20, 100, 0.01));
  for (int i = 0; i < 3; ++i) now.runs.push_back(Values(random, 20, 103, 0.01));
  CHECK(VerdictOf(base, now) == Verdict::kRegression);
}

TEST_CASE("what was not there before grows without bound", "[diff]") {
  const Estimate e = EstimateChange({}, {{{5, 5, 5}}}, {});
  CHECK_FALSE(e.ratio.has_value());
  CHECK(std::isinf(e.growth()));
  CHECK(e.verdict == Verdict::kRegression);
  CHECK(EstimateChange({{{5, 5, 5}}}, {}, {}).verdict == Verdict::kImprovement);
}

TEST_CASE("what only one side has, and hardly ever, may be chance", "[diff]") {
  const std::vector<double> nothing(20), always(20, 5.0);
  std::vector<double> once = nothing;
  once[7] = 5;
  CHECK(VerdictOf({{nothing}}, {{once}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{once}}, {{nothing}}) == Verdict::kCannotTell);
  CHECK(VerdictOf({{nothing}}, {{always}}) == Verdict::kRegression);
  CHECK(VerdictOf({{always}}, {{nothing}}) == Verdict::kImprovement);
  CHECK(VerdictOf({{nothing}}, {{nothing}}) == Verdict::kSame);
  CHECK(VerdictOf({{{0, 0, 0}}}, {{{5, 5, 5}}}) == Verdict::kRegression);
  CHECK(VerdictOf({{{0}}}, {{{5}}}) == Verdict::kRegression);
}

TEST_CASE("a second run of steady steps takes no certainty away", "[diff]") {
  std::mt19937_64 random(9);
  const std::vector<double> first = Values(random, 20, 100, 0.002);
  const std::vector<double> second = Values(random, 20, 100, 0.002);
  const std::vector<double> fresh = Values(random, 20, 100.2, 0.002);
  DecisionOptions limit;
  limit.matters = 0.03;
  CHECK(EstimateChange({{first}}, {{fresh}}, limit).verdict == Verdict::kSame);
  CHECK(EstimateChange({{first, second}}, {{fresh}}, limit).verdict == Verdict::kSame);
  // Where the two differ, the third may, too.
  const std::vector<double> other = Values(random, 20, 102, 0.002);
  CHECK(EstimateChange({{first, other}}, {{fresh}}, limit).verdict == Verdict::kCannotTell);
}

TEST_CASE("noise within a run is how far its quarters lie apart", "[diff]") {
  CHECK(*NoiseWithin({{{99, 99, 100, 100, 100, 100, 101, 101}}}) == Approx(0.02));
  CHECK(*NoiseWithin({{{98, 102}}}) == Approx(0.04));
  CHECK_FALSE(NoiseWithin({{{100}, {90}}}).has_value());
}

TEST_CASE("intervals are the same every time", "[diff]") {
  std::mt19937_64 random(1);
  const Series base{{Values(random, 30, 100, 0.02)}};
  const Series now{{Values(random, 30, 101, 0.02)}};
  CHECK(BootstrapRatio(base, now, 0.95) == BootstrapRatio(base, now, 0.95));
  const Interval wide = BootstrapRatio(base, now, 0.999);
  const Interval narrow = BootstrapRatio(base, now, 0.95);
  CHECK(wide.low < narrow.low);
  CHECK(narrow.high < wide.high);
}

// How often pairs of runs get a verdict, in a thousand.
int PerMille(Verdict verdict, std::size_t steps, double sigma, double drift, double growth) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> slope(-drift, drift);
  int found = 0;
  constexpr int kPairs = 200;
  for (int i = 0; i < kPairs; ++i) {
    const Series base{{Values(random, steps, 100, sigma, slope(random))}};
    const Series now{{Values(random, steps, 100 * (1 + growth), sigma, slope(random))}};
    found += VerdictOf(base, now) == verdict;
  }
  return found * 1000 / kPairs;
}

TEST_CASE("noise and drift alone are hardly ever called a regression", "[diff]") {
  for (std::size_t steps : {3u, 5u, 20u, 100u}) {
    for (double sigma : {0.01, 0.05}) {
      INFO(steps << " steps, sigma " << sigma);
      CHECK(PerMille(Verdict::kRegression, steps, sigma, 0.0, 0) <= 20);
      CHECK(PerMille(Verdict::kRegression, steps, sigma, 0.05, 0) <= 20);
    }
  }
}

TEST_CASE("three per cent are found in twenty steps of one per cent noise", "[diff]") {
  CHECK(PerMille(Verdict::kRegression, 20, 0.01, 0.0, 0.03) >= 980);
  CHECK(PerMille(Verdict::kRegression, 20, 0.01, 0.01, 0.03) >= 980);
  CHECK(PerMille(Verdict::kImprovement, 20, 0.01, 0.01, -0.03) >= 980);
}

TEST_CASE("quick p-values tell a shift from chance", "[diff]") {
  std::mt19937_64 random(11);
  const Series base{{Values(random, 30, 100, 0.01)}};
  CHECK(QuickP(base, {{Values(random, 30, 103, 0.01)}}) < 1e-4);
  CHECK(QuickP(base, {{Values(random, 30, 100, 0.01)}}) > 0.01);
  CHECK(QuickP(base, base) == 1);
  CHECK(QuickP({{{1}}}, {{{2}}}) == 1);
  CHECK(QuickP({{{1, 1, 1}}}, {{{2, 2, 2}}}) == 0);
}

}  // namespace
}  // namespace xsp
