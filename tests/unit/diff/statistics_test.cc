#include "diff/statistics/statistics.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

// Expected values are those of printed tables.
TEST_CASE("the t distribution has its tabled quantiles", "[diff]") {
  CHECK(StudentQuantile(0.975, 1) == Approx(12.7062).epsilon(1e-4));
  CHECK(StudentQuantile(0.975, 2) == Approx(4.30265).epsilon(1e-4));
  CHECK(StudentQuantile(0.975, 10) == Approx(2.22814).epsilon(1e-4));
  CHECK(StudentQuantile(0.95, 30) == Approx(1.69726).epsilon(1e-4));
  CHECK(StudentQuantile(0.975, 1e6) == Approx(1.95997).epsilon(1e-4));
  CHECK(StudentQuantile(0.5, 5) == Approx(0).margin(1e-9));
}

TEST_CASE("tails of the t distribution are the other way round", "[diff]") {
  CHECK(StudentTwoSided(2.22814, 10) == Approx(0.05).epsilon(1e-4));
  CHECK(StudentTwoSided(0, 3) == Approx(1));
  CHECK(StudentTwoSided(-4.30265, 2) == Approx(0.05).epsilon(1e-4));
  CHECK(StudentTwoSided(1e9, 5) == Approx(0).margin(1e-12));
}

TEST_CASE("ranks of few values are counted exactly", "[diff]") {
  // 3 and 3 values: 20 orders, of which 1 puts all of a below all of b.
  const RankTest apart = CompareRanks({1, 2, 3}, {4, 5, 6});
  CHECK(apart.p == Approx(2.0 / 20));
  CHECK(apart.least_p == Approx(2.0 / 20));
  CHECK(apart.Significant(0.05));  // As clear as six values can be.

  // U = 1 in 1 more of the orders.
  const RankTest nearly = CompareRanks({1, 2, 4}, {3, 5, 6});
  CHECK(nearly.p == Approx(4.0 / 20));
  CHECK_FALSE(nearly.Significant(0.05));

  // 8 and 8 values, the tabled critical U of 13 at 5 %.
  CHECK(CompareRanks({1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}).p ==
        Approx(2.0 / 12870));
}

TEST_CASE("the rank test does not depend on which side comes first", "[diff]") {
  const std::vector<double> a = {5, 1, 8, 3, 9, 2};
  const std::vector<double> b = {4, 7, 6, 11, 10};
  CHECK(CompareRanks(a, b).p == Approx(CompareRanks(b, a).p));
}

TEST_CASE("equal values share ranks, and only equal values say nothing", "[diff]") {
  CHECK(CompareRanks({1, 1, 1}, {1, 1, 1}).p == 1);
  CHECK(CompareRanks({}, {1, 2}).p == 1);
  const RankTest ties = CompareRanks({1, 1, 2, 2, 2, 1, 1, 2}, {2, 3, 3, 3, 2, 3, 3, 3});
  CHECK(ties.p < 0.01);
}

TEST_CASE("many values go by the normal distribution", "[diff]") {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(2 * i);
    b.push_back(2 * i + 1);
  }
  CHECK(CompareRanks(a, b).p > 0.8);
  for (double& v : b) v += 40;
  // z = (800 - 0.5 - U) / sqrt(40 * 40 * 81 / 12) for U = 190 pairs of a above b.
  CHECK(CompareRanks(a, b).p == Approx(4.6e-9).epsilon(0.1));
}

TEST_CASE("Holm: the smallest p counts for all tests, the next for one less", "[diff]") {
  CHECK(HolmCorrected({0.01, 0.04, 0.03}) == std::vector<double>{0.03, 0.06, 0.06});
  CHECK(HolmCorrected({0.9, 0.8}) == std::vector<double>{1, 1});
  CHECK(HolmCorrected({}).empty());
}

}  // namespace
}  // namespace xsp
