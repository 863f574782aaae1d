#include "hierarchy/selection/chosen_steps.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

Steps FiveSteps() {
  Steps steps;
  for (TimeNs i = 0; i < 5; ++i) steps.steps.push_back({"s", {100 * i, 100 * i + 100}});
  return steps;
}

using Indices = std::vector<std::uint32_t>;

TEST_CASE("steps are counted from 1, in runs, behind those that are skipped") {
  const Steps steps = FiveSteps();
  CHECK(ChosenSteps(steps, {.runs = {{2, 4}}}) == Indices{1, 2, 3});
  CHECK(ChosenSteps(steps, {.runs = {{1, 1}, {3, 4}}}) == Indices{0, 2, 3});
  CHECK(ChosenSteps(steps, {}).size() == 5);
  CHECK(ChosenSteps(steps, {.skip = 3}) == Indices{3, 4});
  CHECK(ChosenSteps(steps, {.runs = {{1, 4}}, .skip = 3}) == Indices{3});
}

TEST_CASE("steps that the trace does not have are refused") {
  const Steps steps = FiveSteps();
  CHECK_THROWS_WITH(ChosenSteps(steps, {.runs = {{1, 1}, {4, 9}}}),
                    "--steps 1,4-9: the trace has 5 steps");
  CHECK_THROWS_AS(ChosenSteps(steps, {.runs = {{6, 6}}}), Error);
  CHECK_THROWS_AS(ChosenSteps(steps, {.skip = 5}), Error);
  CHECK_THROWS_AS(ChosenSteps({}, {.skip = 1}), Error);
}

TEST_CASE("steps are named by their numbers, long lists by their ends and length") {
  CHECK(StepNumbers({1, 2, 3}) == "steps 2-4");
  CHECK(StepNumbers({2}) == "step 3");
  CHECK(StepNumbers({0, 2, 3}) == "steps 1,3-4");
  CHECK(StepNumbers({1, 3, 5, 6, 7}) == "steps 2,4,6-8");
  CHECK(StepNumbers({1, 3, 5, 7, 8}) == "5 steps from 2 to 9");
  CHECK(AllStepNumbers({1, 3, 5, 7, 8}) == "2,4,6,8-9");
}

TEST_CASE("steps that were asked for count as they are, the others were not asked for") {
  const CountedSteps set = StepsToCount(FiveSteps(), {.runs = {{2, 3}}});
  CHECK(set.counted == std::vector<std::uint32_t>{1, 2});
  REQUIRE(set.left_out.size() == 3);
  CHECK(set.left_out.front() == std::pair(0u, LeftOut::kNotAskedFor));
  CHECK(StepsToCount(FiveSteps(), {.says_all = true}).counted.size() == 5);
}

TEST_CASE("device work belongs to the step that launched it") {
  const Trace trace = test::MakeTrace(R"(
T1   10-12   api cudaLaunchKernel #1
T1  110-112  api cudaLaunchKernel #2
S7  150-160  kernel late #1
S7  170-180  kernel own #2
)");
  EventMask keep(trace.event_count(), 1);
  LimitToSteps(trace, FiveSteps(), {0}, keep);
  const EventSpan kernels = trace.OfKind(EventKind::kKernel);
  CHECK(keep[kernels.first] == 1);
  CHECK(keep[kernels.first + 1] == 0);
}

}  // namespace
}  // namespace xsp
