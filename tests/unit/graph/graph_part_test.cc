#include "graph/unit/graph_part.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "graph/builder.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

constexpr const char* kTimeline = R"(
T1        0-100   push "step 1"
T1      200-260   push "step 2"
T1      300-380   push "step 3"
T1      400-450   push "step 4"
T1       10-12    api cudaLaunchKernel #1
S7       20-60    kernel k #1
T1      210-212   api cudaLaunchKernel #2
S7      220-250   kernel k #2
T1      310-312   api cudaLaunchKernel #3
S7      320-370   kernel k #3
T1      410-412   api cudaLaunchKernel #4
D1.S7   420-520   kernel k #4
)";

GraphPart Part(const Selection& selection) {
  return ChooseGraphPart(test::MakeTrace(kTimeline), selection);
}

TEST_CASE("without options the part is the whole trace") {
  const GraphPart part = Part({});
  CHECK_FALSE(part.time);
  CHECK(part.window.text == "whole trace");
}

TEST_CASE("times and ranges say where to look and leave the trace whole") {
  Selection selection;
  selection.time = TimeRange{200, 330};
  CHECK(Part(selection).time == TimeRange{200, 330});
  CHECK(Part(selection).trace->DeviceWork().size() == 4);
  selection.nvtx = "step 4";
  selection.time.reset();
  CHECK(Part(selection).time == TimeRange{400, 520});  // With the work launched in it.
  selection.time = TimeRange{410, 430};
  CHECK(Part(selection).time == TimeRange{410, 430});
}

TEST_CASE("devices are taken out of the trace") {
  Selection selection;
  selection.devices = {1};
  CHECK(Part(selection).trace->DeviceWork().size() == 1);
}

TEST_CASE("steps that were asked for need not follow each other, and may be all") {
  Selection selection;
  selection.steps.runs = {{2, 3}};
  CHECK(Part(selection).request.steps == std::vector<std::uint32_t>{1, 2});
  CHECK(Part(selection).window.text == "steps 2-3 of 4");
  selection.steps.runs = {{1, 1}, {3, 3}};
  CHECK(Part(selection).request.steps == std::vector<std::uint32_t>{0, 2});
  selection.steps = {.says_all = true};
  CHECK(Part(selection).request.steps == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("a part in which no device works is an error") {
  Selection selection;
  selection.time = TimeRange{600, 700};
  CHECK_THROWS_AS(Part(selection), Error);
  CHECK_THROWS_AS(ChooseGraphPart(test::MakeTrace("T1 0-5 push a"), {}), Error);
}

TEST_CASE("the steps asked for are the unit") {
  Selection selection;
  selection.steps.runs = {{3, 3}};
  GraphPart part = Part(selection);
  const TaskGraph graph = BuildGraph(*part.trace, *part.hierarchy);
  const Unit unit = UnitOf(graph, part);
  CHECK(unit.is_step);
  CHECK(unit.first_step == 2);
  CHECK(unit.step_count == 1);
  CHECK(unit.fill == 1);
  CHECK(part.window.text == "step 3 of 4 steps: 100 ns");
}

}  // namespace
}  // namespace xsp
