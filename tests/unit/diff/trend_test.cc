#include "diff/trend/trend.h"

#include <catch2/catch.hpp>
#include <random>

#include "diff/gates/grammar_error.h"

namespace xsp {
namespace {

// Runs whose metric is 1000 times what `level` says, with noise of one per mille.
template <class Level>
Trend TrendOf(std::size_t runs, Level level, std::uint64_t seed = 1, double noise = 0.001) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> chance(0, noise);
  std::vector<TrendPoint> points;
  for (std::size_t i = 0; i < runs; ++i) {
    points.push_back({"run " + std::to_string(i), 1000 * level(i) * (1 + chance(random)), 0.5});
  }
  return FindTrend(std::move(points));
}

TEST_CASE("small steps add up to a drift") {
  const Trend trend = TrendOf(21, [](std::size_t i) { return 1 + 0.004 * static_cast<double>(i); });
  CHECK(trend.changes.empty());
  CHECK(trend.drift.value() == Approx(0.08).margin(0.003));
  CHECK(trend.Drifts());
  CHECK(CheckTrendGate(trend, ParseTrendGate("drift > 3%")).state == GateState::kFails);
  CHECK(CheckTrendGate(trend, ParseTrendGate("drift > 10%")).state == GateState::kHolds);
  CHECK(CheckTrendGate(trend, ParseTrendGate("change > 1%")).state == GateState::kHolds);
}

TEST_CASE("a change is told with the run at which it began") {
  const Trend trend = TrendOf(30, [](std::size_t i) { return i < 17 ? 1.0 : 1.05; });
  REQUIRE(trend.changes.size() == 1);
  CHECK(trend.changes[0].point == 17);
  CHECK(trend.changes[0].Share() == Approx(0.05).margin(0.002));
  CHECK(trend.drift.value() == Approx(0.05).margin(0.002));
  CHECK(CheckTrendGate(trend, ParseTrendGate("change > 2%")).state == GateState::kFails);
}

TEST_CASE("what came and went is two changes, and no drift") {
  const Trend trend = TrendOf(40, [](std::size_t i) { return i >= 10 && i < 25 ? 1.1 : 1.0; });
  REQUIRE(trend.changes.size() == 2);
  CHECK(trend.changes[0].point == 10);
  CHECK(trend.changes[1].point == 25);
  CHECK(CheckTrendGate(trend, ParseTrendGate("drift > 1%")).state == GateState::kHolds);
}

TEST_CASE("noise is neither drift nor change") {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Trend trend = TrendOf(
        25, [](std::size_t) { return 1.0; }, seed, 0.01);
    alarms += trend.changes.empty() ? 0 : 1;
    CHECK(CheckTrendGate(trend, ParseTrendGate("drift > 3%")).state != GateState::kFails);
  }
  CHECK(alarms <= 20);
}

TEST_CASE("runs that stay the same hardly ever seem to drift, few or many") {
  for (const std::size_t runs : {3, 5, 20}) {
    std::size_t alarms = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const Trend trend = TrendOf(
          runs, [](std::size_t) { return 1.0; }, seed, 0.005);
      alarms += trend.Drifts() ? 1 : 0;
    }
    CAPTURE(runs, alarms);
    CHECK(alarms <= 15);
  }
}

TEST_CASE("one odd run is no change, but the last one can be limited") {
  const Trend trend = TrendOf(20, [](std::size_t i) { return i == 19 ? 1.2 : 1.0; });
  CHECK(trend.changes.empty());
  CHECK(CheckTrendGate(trend, ParseTrendGate("last > 5%")).value.value() ==
        Approx(0.2).margin(0.01));
}

TEST_CASE("few runs tell no trend, and leave limits open") {
  const Trend trend = TrendOf(2, [](std::size_t) { return 1.0; });
  CHECK_FALSE(trend.drift.has_value());
  CHECK(CheckTrendGate(trend, ParseTrendGate("drift > 3%")).state == GateState::kNoData);
}

TEST_CASE("limits of trends that are none are refused") {
  for (const char* text : {"drift", "drift > ", "drift > 3 ms", "drfit > 3%", "> 3%", ""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(ParseTrendGate(text), GrammarError);
  }
}

}  // namespace
}  // namespace xsp
