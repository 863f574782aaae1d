#include "graph/unit/unit.h"

#include <catch2/catch.hpp>

#include "graph/readings/replay.h"
#include "tests/unit/graph/steps_text.h"

namespace xsp {
namespace {

using Case = test::StepsCase;

TEST_CASE("fewer than three counted steps are no unit: the GPU span is") {
  const Case two({.steps = 2});
  CHECK_FALSE(two.bench.unit().is_step);
  CHECK(two.bench.unit().measured == 260'000);
  const Case three({.steps = 3});
  CHECK(three.bench.unit().is_step);
  CHECK(three.bench.unit().steps.counted.size() == 3);
}

TEST_CASE("a unit is a run of counted steps behind one that fills the pipeline") {
  const Case c;
  const Unit& unit = c.bench.unit();
  CHECK(unit.first_step == 1);
  CHECK(unit.step_count == 7);
  CHECK(unit.fill == 1);
  CHECK(unit.measured == 100'000);
  CHECK(c.bench.Length() == Approx(100'000).margin(500));
  // The step that fills the pipeline is simulated, and counts for nothing.
  CHECK(c.bench.graph().op_count() == 9);  // And what comes next begins.
  std::uint32_t inside = 0;
  for (TaskId task : c.bench.graph().tasks()) {
    inside += c.bench.IsInUnit(task) ? 1 : 0;
  }
  CHECK(inside == 7 * 3);
  std::uint32_t placed = 0;
  for (TaskId whole : c.g.graph().tasks()) {
    const TaskId place = c.bench.Place(whole);
    if (!place.valid()) continue;
    CHECK(c.bench.graph().event[place] == c.g.graph().event[whole]);
    ++placed;
  }
  CHECK(placed == c.bench.graph().task_count());
}

TEST_CASE("steps that were asked for are the unit, whatever they are") {
  const Case c;
  const Unit one = ChooseUnit(c.g.graph(), c.steps, {{4}});
  CHECK(one.is_step);
  CHECK(one.first_step == 4);
  CHECK(one.step_count == 1);
  CHECK(one.steps.counted.size() == 1);
  const Unit time = ChooseUnit(c.g.graph(), c.steps, {{4}, {}, {{1'100'000, 1'300'000}}});
  CHECK_FALSE(time.is_step);
  CHECK(time.time == TimeRange{1'106'000, 1'266'000});
}

TEST_CASE("a border moves to the device when kernels become slower than the host") {
  const Case c({.kernel = 60'000, .sync = false});
  CHECK(c.bench.Length() == Approx(100'000).margin(500));
  CHECK(c.bench.Length(c.Kernels(2)) == Approx(121'000).margin(1'000));
  CHECK(c.bench.Length(c.Kernels(0.5)) == Approx(100'000).margin(500));
}

TEST_CASE("a border inside a call that waits counts from the nearer end of the call") {
  // Another thread says where steps begin: 3 µs before the sync returns, or 3 µs after it began.
  for (const DurationNs at : {65'000, 13'000}) {
    const Case c({.ranges_on = 2, .range_at = at});
    CAPTURE(at);
    CHECK(c.bench.Length() == Approx(100'000).margin(500));
    CHECK(c.bench.Length(c.Kernels(0)) == Approx(44'000).margin(1'000));
  }
}

TEST_CASE("means over a unit's steps add up to the mean of the sum") {
  Unit unit;
  unit.is_step = true;
  unit.step_count = 3;
  UnitMeans means = UnitMeans::OfRun(unit);
  DurationNs sum = 0;
  for (const DurationNs part : {10, 1, 1, -2, 7, 3}) sum += means.Next(part);
  CHECK(sum == 20 / 3);
  CHECK(means.Count(7) == 2);
}

TEST_CASE("replay finds the borders of every step") {
  const Case c;
  const ReplayError error = CompareReplay(c.g.graph(), Simulate(c.g.graph()), c.steps);
  REQUIRE(error.step_errors.size() == 8);
  CHECK(error.step_max_abs_error < 0.005);
}

}  // namespace
}  // namespace xsp
