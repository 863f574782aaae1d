#include "sim/likely_range.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/plan/plan.h"

namespace xsp {
namespace {

Uncertainty Of(DurationNs measured, DurationNs forecast, std::uint8_t evidence = kStructural) {
  Uncertainty of;
  of.measured = measured;
  of.forecast = of.fast = of.slow = forecast;
  of.evidence = evidence;
  return of;
}

double Width(const Uncertainty& of) {
  const LikelyRange range = LikelyRangeOf(of);
  CHECK(range.fast < of.forecast);
  CHECK(of.forecast < range.slow);
  return static_cast<double>(range.slow - range.fast);
}

TEST_CASE("a range is never without width, however exact the durations are") {
  CHECK(Width(Of(1'000'000, 1'000'000)) > 0);
  CHECK(Width(Of(10, 10)) > 0);
}

TEST_CASE("large changes, work that never ran, steps that differ and doubtful graphs widen it") {
  const double narrow = Width(Of(1'000'000, 1'000'000));
  const double structural = Width(Of(1'000'000, 600'000)) / 0.6;
  CHECK(structural > narrow);
  CHECK(Width(Of(1'000'000, 600'000, kInserted)) / 0.6 > structural);
  Uncertainty of = Of(1'000'000, 1'000'000);
  of.spread = 0.2;
  of.steps = 4;
  CHECK(Width(of) > 2 * narrow);
  of = Of(1'000'000, 1'000'000);
  of.trust = TrustLevel::kLow;
  CHECK(Width(of) > 2 * narrow);
  of = Of(1'000'000, 1'000'000);
  of.replay_error = -0.1;
  CHECK(Width(of) > 2 * narrow);
}

TEST_CASE("what is left of a large gain is not less certain than what was there") {
  CHECK(Width(Of(10'000'000, 100'000, kScaling)) < 0.25 * 100'000);
}

TEST_CASE("host time that may be a wait is read both ways") {
  Uncertainty of = Of(1'000'000, 700'000);
  of.may_wait = 400'000;
  // It waits for somebody else: then for as much longer as the rest is faster,
  CHECK(LikelyRangeOf(of).slow >= 1'000'000);
  // or for what became faster: then for less.
  CHECK(LikelyRangeOf(of).fast <= 700'000 - 400'000 * 3 / 10);
  // What takes longer may do so while it would have waited.
  of = Of(700'000, 1'000'000);
  of.may_wait = 400'000;
  CHECK(LikelyRangeOf(of).fast <= 700'000);
  of.may_wait = 100'000;
  CHECK(LikelyRangeOf(of).fast > 700'000);
}

TEST_CASE("kernels with fewer others beside them may be faster, with more of them slower") {
  const LikelyRange same = LikelyRangeOf(Of(1'000'000, 700'000));
  Uncertainty of = Of(1'000'000, 700'000);
  of.other_company = 100'000;
  CHECK(LikelyRangeOf(of).fast <= 600'000);
  CHECK(LikelyRangeOf(of).slow == same.slow);
  of.other_company = -100'000;
  CHECK(LikelyRangeOf(of).fast == same.fast);
  CHECK(LikelyRangeOf(of).slow >= 800'000);
}

TEST_CASE("a replay that explains nothing leaves half of the time open, not all of it") {
  Uncertainty of = Of(1'000'000, 1'000'000);
  of.replay_error = -0.97;
  CHECK(LikelyRangeOf(of).fast > 400'000);
  CHECK(LikelyRangeOf(of).slow < 1'600'000);
}

TEST_CASE("what a few steps tell of how they differ is less sure than what many tell") {
  Uncertainty of = Of(1'000'000, 1'000'000);
  of.spread = 0.3;
  of.steps = 3;
  const double few = Width(of) * std::sqrt(3.0);
  of.steps = 30;
  CHECK(few > 1.2 * Width(of) * std::sqrt(30.0));
}

TEST_CASE("what may take twice as long may take half as long, never less than nothing") {
  Uncertainty of = Of(1'000'000, 1'000'000);
  of.spread = 1;
  of.steps = 3;
  const LikelyRange range = LikelyRangeOf(of);
  CHECK(range.slow > 2'000'000);
  CHECK(range.fast > 200'000);
}

TEST_CASE("what a replay leaves open is of the step before, however short the one after is") {
  Uncertainty of = Of(2'000'000, 800'000);
  of.replay_error = -0.1;
  CHECK(LikelyRangeOf(of).slow > 1'000'000);
}

TEST_CASE("who waits for others that do the same work waits as much longer as they work") {
  Uncertainty of = Of(1'000'000, 1'000'000);
  of.may_wait = of.for_others = 800'000;
  of.device_before = 100'000;
  of.device_after = 50'000;
  CHECK(LikelyRangeOf(of).fast <= 600'000);
  of.device_after = 200'000;
  CHECK(LikelyRangeOf(of).slow >= 1'800'000);
}

TEST_CASE("a collective of which one rank was recorded is transfer or waiting") {
  Uncertainty of = Of(1'000'000, 700'000);
  of.unseen_ranks = 200'000;
  CHECK(LikelyRangeOf(of).slow >= 900'000);
}

}  // namespace
}  // namespace xsp
