#include "diff/runs/batches.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

using Counts = std::vector<BatchCount>;

TEST_CASE("batches that both sides have are compared, the most frequent one") {
  const Counts base = {{{32, 32}, 50}, {{16, 16}, 20}};
  const Counts now = {{{16, 16}, 40}, {{32, 32}, 30}, {{8, 8}, 9}};
  const auto pair = BatchesToCompare(base, now);
  REQUIRE(pair);
  CHECK(pair->base == Batch{32, 32});
  CHECK(pair->now == Batch{32, 32});
}

TEST_CASE("where no batch is on both sides, the nearest are compared") {
  const auto pair =
      BatchesToCompare({{{32, 32}, 50}, {{2, 900}, 5}}, {{{30, 30}, 9}, {{64, 64}, 9}});
  REQUIRE(pair);
  CHECK(pair->base == Batch{32, 32});
  CHECK(pair->now == Batch{30, 30});
}

TEST_CASE("one batch, the same on both sides, needs no choice, and rare ones are none") {
  CHECK_FALSE(BatchesToCompare({{{8, 8}, 5}}, {{{8, 8}, 9}}));
  CHECK_FALSE(BatchesToCompare({{{8, 8}, 2}, {{9, 9}, 2}}, {{{8, 8}, 9}}));
  CHECK_FALSE(BatchesToCompare({}, {{{8, 8}, 9}}));
  // Several runs of a side add up.
  CHECK(BatchesToCompare({{{8, 8}, 2}, {{9, 9}, 2}, {{8, 8}, 2}}, {{{8, 8}, 9}})->base ==
        Batch{8, 8});
}

}  // namespace
}  // namespace xsp
