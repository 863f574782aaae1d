#include "sim/diagnosis/diagnosis.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "graph/builder.h"
#include "tests/support/timeline.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

Diagnosis DiagnosisOf(std::string_view timeline) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  return Diagnose(graph, hierarchy, ChooseUnit(graph, hierarchy.steps()));
}

DurationNs SumOf(const Diagnosis& diagnosis) {
  DurationNs sum = 0;
  for (const ResourceTime& resource : diagnosis.resources) sum += resource.ns;
  return sum;
}

// Kernels of 10 us, each 100 us behind the one before: the program takes its time.
constexpr std::string_view kHostBound = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-16000     kernel a #1
  T1 100000-105000  api cudaLaunchKernel #2
  S7 106000-116000  kernel a #2
  T1 200000-205000  api cudaLaunchKernel #3
  S7 206000-216000  kernel a #3)";

// Kernels of 100 us that were queued long before.
constexpr std::string_view kGpuBound = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-106000    kernel a #1
  T1 10000-15000    api cudaLaunchKernel #2
  S7 107000-207000  kernel a #2
  T1 20000-25000    api cudaLaunchKernel #3
  S7 208000-308000  kernel a #3)";

// The second kernel is loaded for a millisecond; then all goes fast.
constexpr std::string_view kCold = R"(
  T1 0-5000           api cudaLaunchKernel #1
  S7 6000-106000      kernel a #1
  T1 10000-110000     api cudaStreamSynchronize #2
  T1 10000-110000     sync stream=7 #2
  T1 110000-1115000   api cudaLaunchKernel #3
  S7 1116000-1216000  kernel b #3
  T1 1120000-1220000  api cudaStreamSynchronize #4
  T1 1120000-1220000  sync stream=7 #4
  T1 1220000-1225000  api cudaLaunchKernel #5
  S7 1226000-1326000  kernel b #5)";

TEST_CASE("a diagnosis names what has the path, confirmed by what it would gain for nothing") {
  const Diagnosis host = DiagnosisOf(kHostBound);
  CHECK(host.what == Resource::kHost);
  CHECK(host.text ==
        "Host-bound: the GPU works 30.0 of 210.0 us and waits for the program between launches (3, "
        "70.00 us each).");
  CHECK(host.resources.front().gain.value() > 100'000);
  CHECK(SumOf(host) == host.unit);

  const Diagnosis gpu = DiagnosisOf(kGpuBound);
  CHECK(gpu.what == Resource::kGpu);
  CHECK(gpu.share > 0.95);
  CHECK(SumOf(gpu) == gpu.unit);
}

// The host waits for an event, of which the first record in the trace comes later.
constexpr std::string_view kFromBefore = R"(
  T1 0-200000       api cudaEventSynchronize #1
  T1 0-200000       sync event=3 #1
  T1 210000-215000  api cudaLaunchKernel #2
  S7 216000-316000  kernel a #2
  T1 220000-221000  api cudaEventRecord #3
  T1                record stream=7 event=3 #3
  T1 230000-320000  api cudaEventSynchronize #4
  T1 230000-320000  sync event=3 #4)";

TEST_CASE("a recording that begins in the middle is said to do so") {
  const std::string text(kFromBefore);
  CHECK(DiagnosisOf(text).text.find("begins in the middle") != std::string::npos);
  // Who waits for nothing waits for nothing from before.
  std::string soon = text;
  soon.replace(soon.find("0-200000 "), 9, "0-2000   ");
  soon.replace(soon.find("0-200000 "), 9, "0-2000   ");
  CHECK(DiagnosisOf(soon).text.find("begins in the middle") == std::string::npos);
  // A kernel whose launch was not recorded.
  const std::string launched = "  S7 1000-90000     kernel a #99\n" + std::string(kGpuBound);
  CHECK(DiagnosisOf(launched).text.find("begins in the middle") != std::string::npos);
  CHECK(DiagnosisOf(kGpuBound).text.find("begins in the middle") == std::string::npos);
}

TEST_CASE("what happens once is named, and decides only where it is more than half") {
  const Diagnosis cold = DiagnosisOf(kCold);
  CHECK(cold.what == Resource::kOneTime);
  CHECK(cold.ns == 1'000'000);
  CHECK(
      cold.text.starts_with("One-time costs: 1.000 of 1.320 ms pass in what happens only once, "
                            "mostly first launches. What recurs waits for the GPU"));
}

TEST_CASE("no what-if gains from what happens once") {
  const TextWorkbench text(kCold);
  // Both waits gone, the program could launch all at once: 300 us of kernels are left, and the
  // millisecond that loading takes.
  const Forecast forecast = text.Run("--no-sync");
  REQUIRE(forecast.applies);
  CHECK(forecast.forecast > 1'290'000);
  // But for the noise of another run.
  CHECK(forecast.bound > 1'200'000);
  DurationNs before = 0, after = 0;
  for (const Limit& limit : forecast.limits_before) {
    before += limit.kind == PathKind::kOneTime ? limit.ns : 0;
  }
  for (const Limit& limit : forecast.limits_after) {
    after += limit.kind == PathKind::kOneTime ? limit.ns : 0;
  }
  CHECK(before == 1'000'000);
  CHECK(after == before);
}

TEST_CASE("every piece of a path belongs to a resource that has words") {
  for (std::size_t i = 0; i < kPathKindCount; ++i) {
    const Resource resource = ResourceOf(static_cast<PathKind>(i));
    CHECK(!NameOf(resource).empty());
    CHECK(!WordsOf(resource).empty());
  }
}

}  // namespace
}  // namespace xsp
