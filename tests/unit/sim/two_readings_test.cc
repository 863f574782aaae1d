#include "sim/two_readings.h"

#include <catch2/catch.hpp>

// What a recording does not tell. Times are in nanoseconds.
namespace xsp {
namespace {

constexpr LikelyRange kNarrow{490'000, 510'000};
constexpr DurationNs kMeasured = 1'000'000, kForecast = 500'000;

TEST_CASE("host time that a change brings onto the path may be a wait for what it made faster") {
  TwoReadings of;
  of.exposed = 300'000;
  const LikelyRange range = Widened(kNarrow, of, kMeasured, kForecast);
  CHECK(range.fast == 200'000);
  CHECK(range.slow == kNarrow.slow);
}

TEST_CASE("a thread that keeps pace with the steps may decide how long they take") {
  TwoReadings of;
  of.pace_maker = kMeasured;
  const LikelyRange range = Widened(kNarrow, of, kMeasured, kForecast);
  CHECK(range.fast == kNarrow.fast);
  // And takes another time in another run.
  CHECK(range.slow == kMeasured + kMeasured / 40);
}

TEST_CASE("threads that may have nothing to do with each other may go on by themselves") {
  TwoReadings of;
  of.apart = 400'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == 392'000);
  of.apart = 2 * kForecast;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == kNarrow.fast);
}

TEST_CASE("streams that need nothing of each other may go on without an order") {
  TwoReadings of;
  of.unordered = 300'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == 294'000);
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == kNarrow.slow);
}

TEST_CASE("waits with a time-out may be over sooner") {
  TwoReadings of;
  of.timed = 100'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == 400'000);
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == kNarrow.slow);
}

TEST_CASE("what misses a time of its timer may have to wait for the next") {
  TwoReadings of;
  of.beat = 400'000;
  CHECK(MissesBeats(of, kForecast));
  CHECK(Widened(kNarrow, of, 400'000, kForecast).slow == 808'000);
  // Steps of unequal lengths miss more of them than their mean does.
  of.on_beats = 1'000'000;
  CHECK(Widened(kNarrow, of, 400'000, kForecast).slow == 1'040'000);
  // Or what would come too late is left out.
  CHECK(Widened(kNarrow, of, 400'000, kForecast).fast == 392'000);
  of.beat = kForecast;
  CHECK_FALSE(MissesBeats(of, kForecast));
}

TEST_CASE("what does not keep pace with the steps may hold them up") {
  TwoReadings of;
  of.lagging = 800'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == 840'000);
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == kNarrow.fast);
}

TEST_CASE("waits that silences alone tell may be work, which stays") {
  TwoReadings of;
  of.gone = 200'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == 700'000);
  of.gone = 2 * kMeasured;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == kMeasured);
}

TEST_CASE("a rank that nobody holds back may go on by itself") {
  TwoReadings of;
  of.rank_apart = 300'000;
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).fast == 294'000);
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == kNarrow.slow);
}

TEST_CASE("steps far from the others belong to the mean where they recur") {
  TwoReadings of;
  of.outliers = 200'000;
  CHECK(Widened(kNarrow, of, kForecast, kForecast).slow == kNarrow.slow + 200'000);
  // For shorter steps more of them do.
  CHECK(Widened(kNarrow, of, kMeasured, kForecast).slow == kNarrow.slow + 400'000);
}

}  // namespace
}  // namespace xsp
