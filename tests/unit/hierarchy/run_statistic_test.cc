#include "hierarchy/leveled/run_statistic.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("the trimmed mean of one or two runs is their mean") {
  CHECK(Combine({7}, Statistic::kTrimmed) == 7);
  CHECK(Combine({7, 9}, Statistic::kTrimmed) == 8);
}

TEST_CASE("the trimmed mean of three runs is the middle one") {
  CHECK(Combine({100, 1, 3}, Statistic::kTrimmed) == 3);
}

TEST_CASE("the trimmed mean of four runs drops the largest only") {
  CHECK(Combine({1000, 4, 2, 0}, Statistic::kTrimmed) == 2);
}

TEST_CASE("the trimmed mean of five to nine runs drops one on each side") {
  CHECK(Combine({1000, 4, 2, 0, 3}, Statistic::kTrimmed) == 3);
  CHECK(Combine({1000, 1, 2, 3, 4, 5, 6, 7, -1000}, Statistic::kTrimmed) == 4);
}

TEST_CASE("the trimmed mean of ten runs drops two on each side") {
  CHECK(Combine({1, 2, 10, 20, 30, 40, 50, 60, 900, 1000}, Statistic::kTrimmed) == 35);
}

TEST_CASE("mean and median over runs") {
  CHECK(Combine({1, 2, 9}, Statistic::kMean) == 4);
  CHECK(Combine({9, 1, 2}, Statistic::kMedian) == 2);
  CHECK(Combine({9, 1, 2, 4}, Statistic::kMedian) == 3);
}

TEST_CASE("the order of the runs does not matter") {
  for (Statistic s : {Statistic::kMean, Statistic::kMedian, Statistic::kTrimmed}) {
    CHECK(Combine({0.1, 0.7, 0.2, 0.3, 1e9}, s) == Combine({1e9, 0.3, 0.2, 0.1, 0.7}, s));
  }
}

TEST_CASE("statistics have names") {
  CHECK(NameOf(Statistic::kMean) == "mean");
  CHECK(NameOf(Statistic::kMedian) == "median");
  CHECK(NameOf(Statistic::kTrimmed) == "trimmed");
}

}  // namespace
}  // namespace xsp
