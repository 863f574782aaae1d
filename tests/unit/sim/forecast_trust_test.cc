#include "sim/forecast_trust.h"

#include <catch2/catch.hpp>

// How far a forecast can be trusted. Times are in nanoseconds.
namespace xsp {
namespace {

constexpr DurationNs kForecast = 1'000'000;

Trust Of(const TwoReadings& readings, const PathDoubts& after = {}, DurationNs company = 0) {
  return TrustOfForecast({}, after, readings, company, kForecast);
}

TEST_CASE("a forecast is trusted no more than its graph") {
  Trust graph;
  graph.Set(Doubt::kReplay, 0.1);
  graph.Conclude();
  REQUIRE(graph.level == TrustLevel::kLow);
  CHECK(TrustOfForecast(graph, {}, {}, 0, kForecast).level == TrustLevel::kLow);
  CHECK(Of({}).level == TrustLevel::kHigh);
}

TEST_CASE("a path that leads through waits only since the change is doubted") {
  PathDoubts after;
  after.total = 1'000'000;
  after.waits = 100'000;
  CHECK(Of({}, after).level == TrustLevel::kFair);
  after.waits = 400'000;
  CHECK(Of({}, after).level == TrustLevel::kLow);
  // Also where the graph said that there it matters only a little.
  Trust graph;
  graph.Set(Doubt::kWaits, 0.1);
  graph.fair_at_most[static_cast<std::size_t>(Doubt::kWaits)] = true;
  CHECK(TrustOfForecast(graph, after, {}, 0, kForecast).level == TrustLevel::kLow);
}

TEST_CASE("what may be far off is not trusted, however good the graph is") {
  Trust trust = Of({});
  DoubtWideRange({800'000, 1'300'000}, kForecast, trust);
  CHECK(trust.level == TrustLevel::kHigh);
  DoubtWideRange({600'000, 1'300'000}, kForecast, trust);
  CHECK(trust.level == TrustLevel::kFair);
  REQUIRE(trust.reasons.size() == 1);
  CHECK(trust.reasons[0].doubt == Doubt::kWideRange);
  CHECK(trust.reasons[0].share == Approx(0.35));
}

TEST_CASE("host time that comes onto the path, or that is gone, is doubted by its share") {
  TwoReadings readings;
  readings.exposed = 100'000;
  const Trust fair = Of(readings);
  CHECK(fair.level == TrustLevel::kFair);
  REQUIRE(fair.reasons.size() == 1);
  CHECK(fair.reasons[0].doubt == Doubt::kExposed);
  readings.exposed = 600'000;
  CHECK(Of(readings).level == TrustLevel::kLow);
  readings = {};
  readings.gone = 600'000;
  CHECK(Of(readings).level == TrustLevel::kLow);
}

TEST_CASE("a thread that cannot keep pace makes it fair, and is named") {
  TwoReadings readings;
  readings.lagging = 2 * kForecast;
  readings.lagging_thread = "writer";
  const Trust trust = Of(readings);
  CHECK(trust.level == TrustLevel::kFair);
  CHECK(trust.lagging_thread == "writer");
}

TEST_CASE("nobody knows what a program does that misses the times of its timer") {
  TwoReadings readings;
  readings.beat = 900'000;
  CHECK(Of(readings).level == TrustLevel::kLow);
  readings.beat = kForecast;
  CHECK(Of(readings).level == TrustLevel::kHigh);
}

TEST_CASE("kernels in a company that nothing measured, and ranks that part") {
  CHECK(Of({}, {}, 200'000).level == TrustLevel::kFair);
  CHECK(Of({}, {}, -400'000).level == TrustLevel::kLow);
  TwoReadings readings;
  readings.rank_apart = 700'000;
  CHECK(Of(readings).level == TrustLevel::kFair);
}

}  // namespace
}  // namespace xsp
