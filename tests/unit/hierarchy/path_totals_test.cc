#include "hierarchy/totals/path_totals.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/hierarchy/path_totals_check.h"

namespace xsp {
namespace {

// Three steps; the second has no copy, and its forward pass twice as many kernels.
constexpr std::string_view kSteps = R"(
  T1     0-100   push "step 1"
  T1     5-40    push forward
  T1    10-12    api cudaLaunchKernel_v7000 #1
  S7    20-50    kernel gemm #1
  T1    60-62    api cudaMemcpyAsync_v3020 #2
  S7    65-70    memcpy HtoD bytes=64 #2
  T1   100-200   push "step 2"
  T1   105-140   push forward
  T1   110-112   api cudaLaunchKernel_v7000 #3
  S7   120-150   kernel gemm #3
  T1   115-117   api cudaLaunchKernel_v7000 #4
  S7   150-170   kernel gemm #4
  T1   200-300   push "step 3"
  T1   205-240   push forward
  T1   210-212   api cudaLaunchKernel_v7000 #5
  S7   220-255   kernel gemm #5
  T1   260-262   api cudaMemcpyAsync_v3020 #6
  S7   265-271   memcpy HtoD bytes=64 #6
)";

PathId Find(const PathTotals& totals, std::string_view path) {
  for (std::uint32_t n = 0; n < totals.nodes().size(); ++n) {
    if (totals.Path(PathId(n)) == path) return PathId(n);
  }
  throw std::out_of_range(std::string(path));
}

using Times = std::vector<DurationNs>;

TEST_CASE("every path has a figure for every step that was asked for") {
  const Trace trace = test::MakeTrace(kSteps);
  const Hierarchy hierarchy(trace);
  REQUIRE(hierarchy.steps().size() == 3);
  const PathTotals totals(hierarchy,
                          {.steps = std::vector<std::uint32_t>{0, 1, 2}, .with_calls = false});
  CHECK(FaultsOf(totals) == std::vector<std::string>{});
  const PathId gemm = Find(totals, "step/forward/gemm");
  CHECK(totals.PerStep(gemm, &PathSample::device_sum) == Times{30, 50, 35});
  CHECK(totals[gemm].total.device_sum == 115);
  CHECK(totals.Samples(gemm)[1].count == 2);
  CHECK(totals.Samples(gemm)[1].launches == 2);

  // A step in which nothing happened there has no sample, and counts as nothing.
  const PathId copy = Find(totals, "step/[unattributed]/[CUDA memcpy HtoD]");
  CHECK(totals.Samples(copy).size() == 2);
  CHECK(totals.PerStep(copy, &PathSample::device_sum) == Times{5, 0, 6});
  CHECK(totals.SampleAt(copy, 1).device_sum == 0);
  CHECK(totals.SampleAt(copy, 2).device_sum == 6);

  // What stands above sums up what is below, step by step.
  CHECK(totals.PerStep(PathId(0u), &PathSample::device_sum) == Times{35, 50, 41});
  CHECK(totals.PerStep(PathId(0u), &PathSample::wall) == Times{100, 100, 100});
  const PathId forward = Find(totals, "step/forward");
  CHECK(totals.PerStep(forward, &PathSample::host) == Times{35, 35, 35});
  CHECK(totals.PerStep(forward, &PathSample::wall) == Times{45, 65, 50});
  CHECK(totals.Samples(forward)[1].operations == 2);
}

TEST_CASE("busy time of a path is a union in each step") {
  const Trace trace = test::MakeTrace(R"(
    T1     0-100   push "step 1"
    T1    10-11    api cudaLaunchKernel #1
    T1    12-13    api cudaLaunchKernel #2
    S7    20-40    kernel f #1
    S8    30-50    kernel f #2
    T1   100-200   push "step 2"
    T1   110-111   api cudaLaunchKernel #3
    S7   120-130   kernel f #3
  )");
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy,
                          {.steps = std::vector<std::uint32_t>{0, 1}, .with_calls = false});
  CHECK(totals.PerStep(PathId(0u), &PathSample::device_busy) == Times{30, 10});
  CHECK(totals.PerStep(PathId(0u), &PathSample::device_sum) == Times{40, 10});
}

TEST_CASE("layers found in the work of one launch have its host time once") {
  std::string text = "T1 0-23 api cudaGraphLaunch #1\nS7 30-32 kernel embed #1\n";
  for (int at = 32; at < 48; at += 4) {
    text += "S7 " + std::to_string(at) + "-" + std::to_string(at + 2) + " kernel gemm #1\n";
    text += "S7 " + std::to_string(at + 2) + "-" + std::to_string(at + 4) + " kernel foo #1\n";
  }
  const Trace trace = test::MakeTrace(text);
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {.with_calls = false});
  CHECK(FaultsOf(totals) == std::vector<std::string>{});
  const PathSample& layers = totals[Find(totals, "foo, gemm")].total;
  CHECK(layers.count == 4);
  CHECK(layers.host == 23);
}

TEST_CASE("only steps that were asked for have samples") {
  const Trace trace = test::MakeTrace(kSteps);
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {.steps = std::vector<std::uint32_t>{2, 1}});
  CHECK(FaultsOf(totals) == std::vector<std::string>{});
  CHECK(totals.divisor() == 2);
  CHECK(totals.PerStep(PathId(0u), &PathSample::device_sum) == Times{50, 41});
}

TEST_CASE("a whole trace has a path per step, each with one sample") {
  const Trace trace = test::MakeTrace(kSteps);
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {.with_calls = false});
  CHECK(FaultsOf(totals) == std::vector<std::string>{});
  const PathId second = Find(totals, "step 2");
  CHECK(totals.PerStep(second, &PathSample::device_sum) == Times{50});
  CHECK(totals.Samples(second)[0].step == Steps::kOutside);
}

TEST_CASE("a call is one path whichever entry point was used") {
  const Trace trace = test::MakeTrace(R"(
    T1   0-10  push init
    T1   1-2   api cuMemAlloc_v2
    T1   3-4   api cuMemAlloc
    T1   5-6   api cudaLaunchKernel_ptsz_v7000 #1
    S7   7-9   kernel f #1
  )");
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {});
  CHECK(totals[Find(totals, "init/cuMemAlloc")].total.count == 2);
  CHECK(totals[Find(totals, "init/cudaLaunchKernel")].total.launches == 1);
  CHECK(totals[Find(totals, "init")].total.calls == 3);
}

TEST_CASE("without what was inferred only recorded ranges are left") {
  const Trace trace = test::MakeTrace(kSteps);
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {.steps = std::vector<std::uint32_t>{0, 1, 2},
                                      .with_calls = false,
                                      .with_inferred = false,
                                      .ranks = RankSplit::kProcess,
                                      .with_elapsed = true});
  // The copy stands right below the step: no range holds it.
  CHECK(totals[Find(totals, "step/[CUDA memcpy HtoD]")].total.count == 2);
  // From the end of the work launched before the range to that of the work launched in it.
  const PathId forward = Find(totals, "step/forward");
  CHECK(totals.PerStep(forward, &PathSample::elapsed) == Times{45, 65, 50});
  CHECK(totals.elapsed_span() == TimeRange{5, 255});
}

TEST_CASE("ranks are processes on devices, in an order that does not depend on process ids") {
  const Trace trace = test::MakeTrace(R"(
    P2.T1      0-10  push a
    P2.T1      1-2   api cudaLaunchKernel #1
    P2.D1.S7   3-5   kernel f #1
    P1.T1      0-10  push a
    P1.T1      1-2   api cudaLaunchKernel #1
    P1.T1      3-4   api cudaLaunchKernel #2
    P1.S7   3-6   kernel f #1
    D1.S7   3-8   kernel f #2
  )");
  const Hierarchy hierarchy(trace);
  const PathTotals totals(hierarchy, {.with_calls = false});
  REQUIRE(totals.ranks().size() == 3);
  CHECK(totals.ranks()[0].process == totals.ranks()[1].process);
  CHECK(totals.ranks()[1].device == 1);
  CHECK_FALSE(totals.ranks()[1].speaks_for_process);
  CHECK(totals[totals.NodeOfRank(0)].total.device_sum == 3);
  CHECK(totals[totals.NodeOfRank(1)].total.device_sum == 5);
  CHECK(totals[totals.NodeOfRank(2)].total.device_sum == 2);
  CHECK(totals.root().total.device_busy == 10);
  CHECK(Ranks(hierarchy, RankSplit::kProcess).size() == 2);
}

TEST_CASE("a set of steps holds what is outside of steps only if it is the whole trace") {
  const StepSet some(std::vector<std::uint32_t>{3, 1, 3});
  CHECK(some.steps() == std::vector<std::uint32_t>{1, 3});
  CHECK(some.Contains(3));
  CHECK_FALSE(some.Contains(2));
  CHECK_FALSE(some.Contains(Steps::kOutside));
  CHECK(some.divisor() == 2);
  CHECK(StepSet().Contains(Steps::kOutside));
  CHECK(StepSet().divisor() == 1);
}

}  // namespace
}  // namespace xsp
