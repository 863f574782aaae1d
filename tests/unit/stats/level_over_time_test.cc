#include "stats/level_over_time.h"

#include <catch2/catch.hpp>

#include "stats/busy_time.h"

using namespace xsp;

TEST_CASE("a level is cut into equal parts with their mean, maximum and last value") {
  LevelOverTime level;
  level.Change(5, 2);
  level.Change(15, -1);
  level.Change(0, 1);
  const auto parts = level.Parts({0, 20}, 2);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].time == TimeRange{0, 10});
  CHECK(parts[0].mean == 2.0);  // 1 for 5 ns, 3 for 5 ns.
  CHECK(parts[0].max == 3);
  CHECK(parts[1].mean == 2.5);
  CHECK(parts[1].last == 2);
}

TEST_CASE("what happened before the range counts as its first level") {
  LevelOverTime level;
  level.Change(-10, 4);
  CHECK(level.Parts({0, 10}, 1).front().mean == 4);
}

TEST_CASE("percentiles of a level are by time, not by number of changes") {
  LevelOverTime level;
  level.Change(0, 1);
  level.Change(90, 9);
  level.Change(100, -10);
  CHECK(level.Percentile({0, 100}, 0.5) == 1);
  CHECK(level.Percentile({0, 100}, 0.9) == 1);
  CHECK(level.Percentile({0, 100}, 0.91) == 10);
  CHECK(level.TimeAtZero({-50, 110}) == 60);
}

TEST_CASE("a range without length has one part and no level") {
  LevelOverTime level;
  CHECK(level.Parts({5, 5}, 20).size() == 1);
  CHECK(level.Percentile({5, 5}, 0.5) == 0);
}

TEST_CASE("busy time counts overlapping ranges once") {
  const BusyTime busy({{10, 20}, {15, 30}, {50, 60}, {30, 31}});
  CHECK(busy.Within({0, 100}) == 31);
  CHECK(busy.Within({18, 55}) == 18);
  CHECK(busy.Within({31, 50}) == 0);
  CHECK(busy.Within({55, 55}) == 0);
}
