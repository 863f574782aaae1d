#include "hierarchy/steps/one_time_costs.h"

#include <catch2/catch.hpp>
#include <string>

#include "hierarchy/steps/steps.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

using test::MakeTrace;

// "cudaLaunchKernel 990 first launches; ...": each call with what it spends once, in us.
std::string CostsIn(const std::string& timeline) {
  const Trace trace = MakeTrace(timeline);
  const OneTimeCosts costs = FindSteps(trace).one_time;
  std::string text;
  for (const OneTimeCall& cost : costs.calls()) {
    text += (text.empty() ? "" : "; ") + std::string(trace.name(cost.call)) + " " +
            std::to_string(cost.ns / 1000) + " " + std::string(NameOf(cost.reason));
  }
  return text;
}

TEST_CASE("the first launch of a kernel costs once what it takes longer than later ones") {
  CHECK(CostsIn(R"(
    T1 0-1000000        api cudaLaunchKernel #1
    S7 1000000-1100000  kernel a #1
    T1 1100000-1110000  api cudaLaunchKernel #2
    S7 1111000-1211000  kernel a #2
    T1 1120000-1130000  api cudaLaunchKernel #3
    S7 1230000-1330000  kernel a #3)") == "cudaLaunchKernel 990 first launches");
  // As long as usual: nothing.
  CHECK(CostsIn(R"(
    T1 0-10000      api cudaLaunchKernel #1
    S7 11000-12000  kernel a #1
    T1 20000-30000  api cudaLaunchKernel #2
    S7 31000-32000  kernel a #2)")
            .empty());
}

TEST_CASE("a kernel that is launched once is held against what launches take") {
  CHECK(CostsIn(R"(
    T1 0-2010000        api cudaLaunchKernel #1
    S7 2010000-2100000  kernel a #1)") == "cudaLaunchKernel 2000 first launches");
}

TEST_CASE("memory in a loop grows only the first time") {
  CHECK(CostsIn(R"(
    T1 0-1000       api cudaGetDevice #8
    T1 1000-101000    api cudaMalloc #1
    T1 110000-120000  api cudaFree #2
    T1 130000-230000  api cudaMalloc #3
    T1 240000-250000  api cudaFree #4
    T1 260000-360000  api cudaMalloc #5)") == "cudaMalloc 100 growing memory");
}

TEST_CASE("a pool grows where taking from it takes longer than usual") {
  CHECK(CostsIn(R"(
    T1 0-1000           api cudaGetDevice #8
    T1 1000-8001000     api cudaMallocAsync #1
    T1 8010000-8011000  api cudaMallocAsync #2
    T1 8020000-8021000  api cudaMallocAsync #3)") == "cudaMallocAsync 7999 growing memory");
}

TEST_CASE("loading within a launch is the launch's, and counts once") {
  CHECK(CostsIn(R"(
    T1 0-1000000        api cudaLaunchKernel #1
    T1 5000-995000      api cuLibraryLoadData #9
    S7 1000000-1100000  kernel a #1
    T1 1100000-1110000  api cudaLaunchKernel #2
    S7 1111000-1211000  kernel a #2)") == "cudaLaunchKernel 990 first launches");
}

TEST_CASE("the first call of its name may set something up, but a wait does not") {
  CHECK(CostsIn(R"(
    T1 0-300000000          api cudaEventCreate #1
    T1 300000000-300001000  api cudaEventCreate #2)") == "cudaEventCreate 299999 setting up");
  CHECK(CostsIn(R"(
    T1 0-1000           api cudaGetDevice #8
    T1 1000-6000        api cudaLaunchKernel #1
    S7 7000-9000000     kernel a #1
    T1 6000-9001000     api cudaFree #2
    T1 9001000-9002000  api cudaFree #3)")
            .empty());
}

TEST_CASE("of a stretch of time only what the device waited for counts") {
  // The second kernel is loaded while the first one runs for another 600 us.
  const Trace trace = MakeTrace(R"(
    T1 0-10000           api cudaLaunchKernel #1
    S7 11000-700000      kernel a #1
    T1 100000-1110000    api cudaLaunchKernel #2
    S7 1111000-1211000   kernel b #2
    T1 1120000-1130000   api cudaLaunchKernel #3
    S7 1230000-1330000   kernel b #3)");
  const OneTimeCosts costs = FindSteps(trace).one_time;
  REQUIRE(costs.calls().size() == 1);
  CHECK(costs.calls()[0].ns == 1'000'000);
  CHECK(costs.In(TimeRange{0, 2'000'000}) == 400'000);
  CHECK(costs.In(TimeRange{0, 800'000}) == 100'000);
  const auto by_reason = costs.ByReason({{0, 2'000'000}});
  CHECK(by_reason[static_cast<std::size_t>(OneTimeReason::kFirstLaunch)] == 400'000);
}

}  // namespace
}  // namespace xsp
