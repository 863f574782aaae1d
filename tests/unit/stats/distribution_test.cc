#include "stats/distribution.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "stats/rounding.h"

using namespace xsp;

namespace {

Distribution Of(std::vector<std::int64_t> values) { return Describe(values); }

}  // namespace

TEST_CASE("the deviation is that of a sample, and 0 for one value") {
  CHECK(Of({5}).deviation == 0);
  CHECK(Of({1, 3}).deviation == Approx(std::sqrt(2)));
  CHECK(Of({2, 4, 4, 4, 5, 5, 7, 9}).deviation == Approx(std::sqrt(32.0 / 7)));
}

TEST_CASE("the median of an even number of values is the mean of the two in the middle") {
  CHECK(Of({9, 1, 5}).median == 5);
  CHECK(Of({9, 1, 5, 6}).median == 5.5);
}

TEST_CASE("totals beyond 64 bits stay at the largest number") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(Of({kMost, kMost}).total == kMost);
}

TEST_CASE("times round ties away from zero, sizes to even digits") {
  CHECK(RoundTenth(0.25) == 0.3);
  CHECK(RoundTenth(0.75) == 0.8);
  CHECK(RoundTenth(-0.25) == -0.3);
  CHECK(RoundTenth(2.45) == 2.5);  // The nearest double lies above the tie.
  CHECK(RoundTenth(0.35) == 0.3);  // And here below it.
  CHECK(RoundTo(0.0625, 3, Tie::kEven) == 0.062);
  CHECK(Megabytes(62500) == 0.062);
  CHECK(Megabytes(187500) == 0.188);
  CHECK(Megabytes(20971520) == 20.972);
  CHECK(std::isnan(RoundTenth(std::nan(""))));
}

TEST_CASE("groups keep the order in which they were first met") {
  GroupedValues<2> values;
  values.Add({7, 1}, 10);
  values.Add({3, 1}, 1);
  values.Add({7, 1}, 20);
  values.GroupOf({9, 9});
  const auto groups = values.Finish();
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].values.total == 30);
  CHECK(groups[1].values.count == 1);
  CHECK(groups[2].values.count == 0);
}

TEST_CASE("a share of nothing is unknown") {
  CHECK(std::isnan(PercentOf(0, 0)));
  CHECK(PercentOf(1, 3) == 33.3);
}

TEST_CASE("a percentile is a value that was measured") {
  std::vector<std::int64_t> values = {10, 20, 30, 40};
  CHECK(Percentile(values, 0.5) == 20);
  CHECK(Percentile(values, 0.9) == 40);
  CHECK(Percentile(values, 0) == 10);
}
