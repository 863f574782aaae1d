// A changed program is the same program but for the change.
#include <map>

#include "sample_traces/scenarios.h"
#include "tests/unit/sample_traces/small_program.h"

namespace xsp::samples::test {
namespace {

MemoryRecording RunWith(std::string_view scenario_name, std::string_view change,
                        const ScenarioOptions& options = {}) {
  Scenario scenario = MakeScenario(scenario_name, options);
  if (!change.empty()) ApplyChange(change, scenario);
  return RunInMemory(scenario.program, scenario.machine);
}

int64_t KernelTime(const MemoryRecording& run) {
  int64_t total = 0;
  for (const KernelRecord& kernel : run.kernels) total += Duration(kernel);
  return total;
}

int64_t GpuSpan(const MemoryRecording& run) {
  return run.kernels.back().end - run.kernels.front().start;
}

ScenarioOptions HostBound() {
  ScenarioOptions options;
  options.bound = Bound::kHost;
  return options;
}

}  // namespace

TEST_CASE("halving kernels halves a GPU-bound run and hardly moves a host-bound one", "[samples]") {
  const MemoryRecording before = RunWith("train", "");
  const MemoryRecording after = RunWith("train", "kernels-half");
  CHECK(after.kernels.size() == before.kernels.size());
  CHECK(KernelTime(after) == Approx(KernelTime(before) / 2).epsilon(0.001));
  CHECK(GpuSpan(after) * 100 / GpuSpan(before) <= 53);

  const MemoryRecording slow_host = RunWith("train", "", HostBound());
  const MemoryRecording halved = RunWith("train", "kernels-half", HostBound());
  CHECK(GpuSpan(halved) * 100 / GpuSpan(slow_host) >= 85);
}

TEST_CASE("taking syncs out leaves the noise of everything else as it was", "[samples]") {
  const MemoryRecording before = RunWith("train", "");
  const MemoryRecording after = RunWith("train", "no-sync");
  REQUIRE(after.kernels.size() == before.kernels.size());
  CHECK(after.syncs.size() < before.syncs.size());
  for (size_t i = 0; i < before.kernels.size(); ++i) {
    CHECK(Duration(after.kernels[i]) == Duration(before.kernels[i]));
  }
  CHECK(GpuSpan(after) < GpuSpan(before));
}

TEST_CASE("each change moves what it should", "[samples]") {
  const auto span = [](std::string_view name, std::string_view change,
                       const ScenarioOptions& options = {}) {
    return GpuSpan(RunWith(name, change, options));
  };
  CHECK(span("train", "cheap-launch", HostBound()) < span("train", "", HostBound()));
  CHECK(span("train", "host-half", HostBound()) * 10 < span("train", "", HostBound()) * 8);
  CHECK(span("train", "gemm-half") < span("train", ""));
  CHECK(span("train", "kernels-double") > span("train", ""));
  CHECK(span("copies", "pinned") < span("copies", ""));
  CHECK(span("alloc", "no-alloc") < span("alloc", ""));
  ScenarioOptions input;
  input.bound = Bound::kInput;
  CHECK(span("train", "fast-loader", input) < span("train", "", input));
}

TEST_CASE("an unknown change is answered with the known ones", "[samples]") {
  Scenario scenario = MakeScenario("hpc", {});
  CHECK_THROWS_WITH(ApplyChange("faster", scenario), Catch::Contains("kernels-half"));
}

}  // namespace xsp::samples::test
