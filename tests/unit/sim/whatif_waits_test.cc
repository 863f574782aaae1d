#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// The second kernel is launched 40 us after the host has waited for the first.
constexpr std::string_view kSync = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-106000    kernel a #1
  T1 10000-110000   api cudaStreamSynchronize #2
  T1 10000-110000   sync stream=7 #2
  T1 150000-155000  api cudaLaunchKernel #3
  S7 156000-166000  kernel b #3
  T1 160000-170000  api cudaStreamSynchronize #4
  T1 160000-170000  sync stream=7 #4)";

// Six small kernels, 25 us apart because the host takes so long.
constexpr std::string_view kHostBound = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-8000      kernel a #1
  T1 25000-30000    api cudaLaunchKernel #2
  S7 31000-33000    kernel b #2
  T1 50000-55000    api cudaLaunchKernel #3
  S7 56000-58000    kernel c #3
  T1 75000-80000    api cudaLaunchKernel #4
  S7 81000-83000    kernel d #4
  T1 100000-105000  api cudaLaunchKernel #5
  S7 106000-108000  kernel e #5
  T1 125000-130000  api cudaLaunchKernel #6
  S7 131000-133000  kernel f #6)";

TEST_CASE("without the sync the second kernel follows the first") {
  const TextWorkbench text(kSync);
  const Forecast forecast = text.Run("--no-sync");
  CHECK(forecast.applies);
  CHECK(forecast.measured == 160'000);
  // Both kernels and the gap of a stream between them.
  CHECK(forecast.forecast > 110'000);
  CHECK(forecast.forecast < 114'000);
  CHECK(forecast.bound <= forecast.forecast);
  // The last wait of a run stays: somebody must know when all is done.
  REQUIRE(forecast.changes.size() == 1);
  CHECK(forecast.changes[0].removed == 1);
  CHECK(forecast.changes[0].host_before == 100'000);
}

TEST_CASE("no sync to be removed") {
  const Forecast forecast = TextWorkbench(kHostBound).Run("--no-sync");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason == "the host never waits for the device in this part of the trace");
  CHECK(forecast.forecast == forecast.measured);
  CHECK(forecast.Speedup() == 1);
}

TEST_CASE("as a CUDA graph six launches are one") {
  const TextWorkbench text(kHostBound);
  const Forecast forecast = text.Run("--cuda-graphs");
  CHECK(forecast.measured == 127'000);
  // Six kernels of 2 us and five gaps below a microsecond.
  CHECK(forecast.forecast > 12'000);
  CHECK(forecast.forecast < 18'000);
  CHECK(forecast.device_before == forecast.device_after);
  CHECK((forecast.evidence & kStructural) != 0);
}

TEST_CASE("launches with waits between them are no graph") {
  const Forecast forecast = TextWorkbench(kSync).Run("--cuda-graphs");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason ==
        "no run of launches without waits between them is long enough for a graph");
}

TEST_CASE("a graph does not reach across a wait for another thread") {
  // Thread 2 launches what thread 1 has prepared, and thread 1 goes on behind it.
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-8000      kernel a #1
    T1 5000-10000     api cudaLaunchKernel #2
    S7 11000-13000    kernel b #2
    T2 400000-405000  api cudaLaunchKernel #3
    S7 406000-408000  kernel c #3
    T2 405000-410000  api cudaLaunchKernel #4
    S7 411000-413000  kernel d #4
    T1 800000-805000  api cudaLaunchKernel #5
    S7 806000-808000  kernel e #5
    T1 805000-810000  api cudaLaunchKernel #6
    S7 811000-813000  kernel f #6)");
  const Forecast forecast = text.Run("--cuda-graphs=2");
  CHECK(forecast.applies);
  // What the threads waited for each other stays.
  CHECK(forecast.forecast > 700'000);
}

TEST_CASE("from pinned memory a copy does not hold the host") {
  const TextWorkbench text(R"(
    T1 0-200000       api cudaMemcpy #1
    S7 10000-190000   memcpy HtoD #1 bytes=1000000 src=pageable dst=device
    T1 210000-215000  api cudaLaunchKernel #2
    S7 216000-316000  kernel a #2)");
  const Forecast forecast = text.Run("--pinned=bandwidth=20GB");
  REQUIRE(forecast.applies);
  // 1 MB at 20 GB/s and the fixed part of a copy.
  CHECK(forecast.changes[0].device_after == Approx(51'300).epsilon(0.01));
  CHECK(forecast.forecast < 200'000);
  CHECK_FALSE(TextWorkbench(kHostBound).Run("--pinned").applies);
  CHECK_FALSE(TextWorkbench(kHostBound).Run("--prefetch").applies);
}

// Sixty steps of 1 ms: a kernel of 200 us, a sync, and a load of 690 us in which the thread does
// `os_call`, or nothing that was recorded.
std::string StepsWithLoads(const std::string& range, const std::string& os_call) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    auto line = [&](const char* lane, int begin, int end, const std::string& what) {
      const auto at = [&](int time) { return std::to_string(i * 1'000'000 + time); };
      text += std::string(lane) + " " + at(begin) + "-" + at(end) + " " + what + "\n";
    };
    const std::string launch = std::to_string(2 * i + 1), sync = std::to_string(2 * i + 2);
    line("T1", 0, 995'000, "push \"step " + std::to_string(i) + "\"");
    line("T1", 1'000, 6'000, "api cudaLaunchKernel #" + launch);
    line("S7", 7'000, 207'000, "kernel gemm #" + launch);
    line("T1", 10'000, 210'000, "api cudaStreamSynchronize #" + sync);
    line("T1", 10'000, 210'000, "sync stream=7 #" + sync);
    line("T1", 300'000, 990'000, "push \"" + range + "\"");
    if (!os_call.empty()) line("T1", 310'000, 980'000, "osrt " + os_call);
  }
  return text;
}

TEST_CASE("behind a loader that is waited for, faster kernels gain nothing and workers do") {
  const TextWorkbench text(StepsWithLoads("load batch", "pthread_cond_timedwait"));
  const Forecast kernels = text.Run("--faster=name=*,by=10");
  CHECK(kernels.measured == Approx(1'000'000).epsilon(0.01));
  CHECK(kernels.forecast == Approx(1'000'000).epsilon(0.01));
  CHECK(kernels.slow == kernels.slow_if_loader_keeps_up);
  // Behind the load of the last step comes no call: it is no task, and stays.
  const double last = 0.04;
  CHECK(text.Run("--loader=workers=2").forecast == Approx(500'000).epsilon(last));
  // Then the step decides: all but the 670 us of waiting.
  CHECK(text.Run("--loader=workers=8").forecast == Approx(330'000).epsilon(last));
  CHECK(text.Run("--loader=workers=2 --faster=name=*,by=10").forecast ==
        Approx(500'000).epsilon(last));
}

TEST_CASE("a loader that was never waited for makes a range of what the rest would gain") {
  const TextWorkbench text(
      StepsWithLoads("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "read"));
  const Forecast kernels = text.Run("--faster=name=*,by=10");
  CHECK(kernels.forecast == Approx(820'000).epsilon(0.01));
  // But for how far the simulated steps are from the typical one.
  CHECK(kernels.slow_if_loader_keeps_up - kernels.forecast == std::abs(kernels.OtherSteps()));
  CHECK(kernels.slow == Approx(1'000'000).epsilon(0.01));
  CHECK(kernels.assumptions.back().find("the data loader keeps up") == 0);
  // What makes it slower does not have to ask.
  const Forecast slower = text.Run("--faster=name=*,by=0.5");
  CHECK(slower.forecast == Approx(1'200'000).epsilon(0.01));
  CHECK(slower.slow - slower.forecast == std::abs(slower.OtherSteps()));
}

TEST_CASE("what-ifs that find nothing to change say why") {
  const TextWorkbench text(kHostBound);
  CHECK(text.Run("--loader").reason == "the trace shows no time in which data is loaded");
  CHECK(text.Run("--network=2").reason == "no collectives between GPUs in this part of the trace");
  CHECK_FALSE(text.Run("--buckets").applies);
  CHECK_FALSE(text.Run("--ddp=2").applies);
  CHECK_FALSE(text.Run("--accumulate=2").applies);
  CHECK_FALSE(text.Run("--fused-optimizer").applies);
  CHECK_FALSE(text.Run("--amp").applies);
}

TEST_CASE("a faster network shortens the transfer and not the latency") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-226000    kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL #1)");
  const Forecast forecast = text.Run("--network=factor=4,latency=20us");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes[0].device_before == 220'000);
  CHECK(forecast.changes[0].device_after == 70'000);
  CHECK(forecast.forecast == Approx(70'000).epsilon(0.01));
}

}  // namespace
}  // namespace xsp
