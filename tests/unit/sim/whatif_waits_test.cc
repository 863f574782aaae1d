#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

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

// A kernel of 100 us on one stream, for which the host waits; then one of 100 us on another stream,
// launched 50 us later.
constexpr std::string_view kTwoStreams = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S8 6000-106000    kernel a #1 flag=nonblocking
  T1 10000-110000   api cudaStreamSynchronize #2
  T1 10000-110000   sync stream=8 #2
  T1 160000-165000  api cudaLaunchKernel #3
  S9 166000-266000  kernel b #3 flag=nonblocking
  T1 170000-270000  api cudaStreamSynchronize #4
  T1 170000-270000  sync stream=9 #4)";

TEST_CASE("without the sync, work of another stream still follows what the host waited for") {
  const Forecast forecast = TextWorkbench(kTwoStreams).Run("--no-sync");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 260'000);
  // One kernel after the other: only the host's 50 us are gone. Side by side they would take 150.
  CHECK(forecast.forecast > 199'000);
  CHECK(forecast.forecast < 215'000);
  REQUIRE(forecast.changes.size() == 2);
  CHECK(forecast.changes[1].what == "streams keep their order by events");
  CHECK(forecast.changes[1].host_after > 0);
  // Unless it needs nothing of that: then both kernels run at once.
  CHECK(forecast.fast < 165'000);
  CHECK(forecast.trust.Of(Doubt::kOrder) > 0.1);
  CHECK(forecast.trust.level != TrustLevel::kHigh);
}

TEST_CASE("a copy to the device follows nothing that was computed") {
  std::string text(kTwoStreams);
  text.replace(text.find("S9 166000-266000  kernel b"), 26,
               "S9 166000-266000  memcpy HtoD bytes=1000000 src=pinned dst=device");
  text.replace(text.find("160000-165000  api cudaLaunchKernel"), 35,
               "160000-165000  api cudaMemcpyAsync ");
  const Forecast forecast = TextWorkbench(text).Run("--no-sync");
  REQUIRE(forecast.changes.size() == 1);
  CHECK(forecast.forecast < 180'000);
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

TEST_CASE("into pinned memory a read is faster, and the host still waits for it") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 10000-597000   api cudaMemcpy #2
    S7 107000-407000  memcpy DtoH #2 bytes=2000000 src=device dst=pageable
    T1 607000-612000  api cudaLaunchKernel #3
    S7 613000-713000  kernel b #3)");
  const Forecast forecast = text.Run("--pinned=bandwidth=20GB");
  REQUIRE(forecast.applies);
  REQUIRE(forecast.changes.size() == 1);
  CHECK(forecast.changes[0].what == "reads into pinned memory");
  CHECK(forecast.changes[0].device_after == Approx(101'300).epsilon(0.01));
  // 100 us of kernel, 101 of copy, what the host does until the next launch, 100 of kernel.
  CHECK(forecast.forecast > 301'000);
  CHECK(forecast.forecast < 345'000);
}

TEST_CASE("single values are read as fast from pageable memory") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 10000-115000   api cudaMemcpyAsync #2
    S7 107000-109000  memcpy DtoH #2 bytes=4 src=device dst=pageable)");
  CHECK(text.Run("--pinned").reason == "no copy between host and device holds the host");
}

// A copy to the device and a sync right behind it, a read of 4 bytes, a sync of everything.
constexpr std::string_view kThreeWaits = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-106000    kernel a #1
  T1 10000-20000    api cudaMemcpyAsync #2
  S7 107000-117000  memcpy HtoD #2 bytes=100000 src=pageable dst=device
  T1 21000-120000   api cudaStreamSynchronize #3
  T1 21000-120000   sync stream=7 #3
  T1 130000-135000  api cudaLaunchKernel #4
  S7 136000-236000  kernel b #4
  T1 140000-245000  api cudaMemcpyAsync #5
  S7 237000-239000  memcpy DtoH #5 bytes=4 src=device dst=pageable
  T1 250000-255000  api cudaLaunchKernel #6
  S7 256000-356000  kernel c #6
  T1 260000-360000  api cudaDeviceSynchronize #7
  T1 260000-360000  sync context=1 #7
  T1 370000-375000  api cudaLaunchKernel #8
  S7 376000-386000  kernel d #8
  T1 380000-390000  api cudaStreamSynchronize #9
  T1 380000-390000  sync stream=7 #9)";

TEST_CASE("what the host waits for is named: a copy in, a read, everything") {
  const TextWorkbench text(kThreeWaits);
  const Forecast forecast = text.Run("--no-sync");
  std::vector<std::string> rows;
  for (const PlannedChange& change : forecast.changes) rows.push_back(change.what);
  std::sort(rows.begin(), rows.end());
  CHECK(rows ==
        std::vector<std::string>{"cudaDeviceSynchronize", "reads of 4 B by cudaMemcpyAsync",
                                 "waits behind copies in of 100 KB by cudaStreamSynchronize"});
  REQUIRE(forecast.cautions.size() >= 2);
  CHECK(
      forecast.cautions[0] ==
      "reads of 4 B by cudaMemcpyAsync: the host may decide by what it reads; look at each first");
}

TEST_CASE("of a copy to the device nothing comes back: its wait goes without caution") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 10000-20000    api cudaMemcpyAsync #2
    S7 107000-117000  memcpy HtoD #2 bytes=100000 src=pageable dst=device
    T1 21000-120000   api cudaStreamSynchronize #3
    T1 21000-120000   sync stream=7 #3
    T1 130000-135000  api cudaLaunchKernel #4
    S7 136000-236000  kernel b #4
    T1 140000-240000  api cudaStreamSynchronize #5
    T1 140000-240000  sync stream=7 #5)");
  const Forecast forecast = text.Run("--no-sync");
  CHECK(forecast.applies);
  CHECK(forecast.cautions.empty());
}

TEST_CASE("pinned and prefetched copies have no sync behind them") {
  const TextWorkbench text(kThreeWaits);
  for (const char* options : {"--pinned", "--prefetch"}) {
    CAPTURE(options);
    const Forecast forecast = text.Run(options);
    REQUIRE(forecast.changes.size() == 2);
    CHECK(forecast.changes[1].what == "waits right behind them");
    CHECK(forecast.changes[1].removed == 1);
  }
}

TEST_CASE("a sync behind a large read stays: it brings results") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 10000-15000    api cudaMemcpyAsync #2
    S7 107000-207000  memcpy DtoH #2 bytes=1000000 src=device dst=pinned
    T1 16000-210000   api cudaStreamSynchronize #3
    T1 16000-210000   sync stream=7 #3
    T1 220000-225000  api cudaLaunchKernel #4
    S7 226000-326000  kernel b #4
    T1 230000-330000  api cudaStreamSynchronize #5
    T1 230000-330000  sync stream=7 #5)");
  CHECK_FALSE(text.Run("--no-sync").applies);
  CHECK(text.Run("--no-sync=copies=all").applies);
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

TEST_CASE("workers beside the main thread may slow it down: the range holds that") {
  const TextWorkbench text(StepsWithLoads("load batch", "pthread_cond_timedwait"));
  const Forecast more = text.Run("--loader=workers=8,now=1");
  // As much as real runs were slower than their forecasts, and no more than noise beyond that.
  CHECK(static_cast<double>(more.slow) > 1.17 * static_cast<double>(more.forecast));
  CHECK(static_cast<double>(more.slow) < 1.25 * static_cast<double>(more.forecast));
  // As many as now take no more processors.
  const Forecast same = text.Run("--loader=workers=8,now=8,load-time=1us");
  CHECK(same.slow - same.forecast < more.slow - more.forecast);
}

TEST_CASE("a loader that was never waited for makes a range of what the rest would gain") {
  const TextWorkbench text(
      StepsWithLoads("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "read"));
  const Forecast kernels = text.Run("--faster=name=*,by=10");
  CHECK(kernels.forecast == Approx(820'000).epsilon(0.01));
  // But for what another run is off by, and the simulated steps from the typical one.
  const DurationNs another = kernels.forecast / 20 + std::abs(kernels.OtherSteps());
  CHECK(kernels.slow_if_loader_keeps_up - kernels.forecast <= another);
  CHECK(kernels.slow >= 1'000'000);
  CHECK(kernels.slow <= 1'000'000 + another);
  CHECK(kernels.assumptions.back().find("the data loader keeps up") == 0);
  // What makes it slower does not have to ask.
  const Forecast slower = text.Run("--faster=name=*,by=0.5");
  CHECK(slower.forecast == Approx(1'200'000).epsilon(0.01));
  CHECK(slower.slow == slower.slow_if_loader_keeps_up);
}

TEST_CASE("a short load from workers may be a wait that is over when kernels take longer") {
  const TextWorkbench text(
      StepsWithLoads("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", ""));
  const Forecast slower = text.Run("--faster=name=*,by=0.1");
  REQUIRE(slower.forecast == Approx(2'800'000).epsilon(0.01));
  // All of the load's 690 us goes at best.
  CHECK(slower.fast < 2'150'000);
  CHECK(slower.trust.level != TrustLevel::kHigh);
  // What the program itself loads it always does.
  const TextWorkbench own(StepsWithLoads("load batch", ""));
  CHECK(own.Run("--faster=name=*,by=0.1").fast > 2'500'000);
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
