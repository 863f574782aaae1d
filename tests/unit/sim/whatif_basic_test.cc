#include <catch2/catch.hpp>
#include <string_view>

#include "base/error.h"
#include "sim/plan/user_whatif.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// The device has more to do than the host: all is launched long before it runs.
constexpr std::string_view kGpuBound = R"(
  T1 0-5000          api cudaLaunchKernel #1
  S7 6000-8000       kernel other #1
  T1 10000-15000     api cudaLaunchKernel #2
  S7 16000-2016000   kernel volta_sgemm_128x64_tn #2
  T1 20000-25000     api cudaLaunchKernel #3
  S7 2017000-2019000 kernel softmax_warp_forward #3
  T1 30000-35000     api cudaMemcpyAsync #4
  S7 2020000-2120000 memcpy DtoH #4 bytes=800000 dst=pinned)";

// A launch every 50 us, kernels of 10 us.
constexpr std::string_view kHostBound = R"(
  T1 0-5000         api cudaLaunchKernel #1
  S7 6000-16000     kernel a #1
  T1 50000-55000    api cudaLaunchKernel #2
  S7 56000-66000    kernel b #2
  T1 100000-105000  api cudaLaunchKernel #3
  S7 106000-116000  kernel c #3)";

TEST_CASE("a faster kernel shortens what waits for it and no copy") {
  const TextWorkbench text(kGpuBound);
  const Forecast forecast = text.Run("--faster=name=*,by=2");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes[0].changed == 3);
  CHECK(forecast.changes[0].device_before == 2'004'000);
  CHECK(forecast.changes[0].device_after == 1'002'000);
  CHECK(forecast.measured - forecast.forecast == Approx(1'002'000).epsilon(0.01));
}

TEST_CASE("a faster kernel that nobody waits for gains nothing") {
  const Forecast forecast = TextWorkbench(kHostBound).Run("--faster=name=b,by=10");
  CHECK(forecast.forecast == forecast.measured);
  CHECK(forecast.naive == forecast.measured - 9'000);
}

TEST_CASE("a kernel is replaced by one of a known time") {
  const TextWorkbench text(kGpuBound);
  const Forecast forecast = text.Run("--replace=name=sgemm,with=500us");
  CHECK(forecast.changes[0].device_after == 500'000);
  CHECK(forecast.measured - forecast.forecast == Approx(1'500'000).epsilon(0.01));
  CHECK_FALSE(text.Run("--replace=name=nothing,with=1us").applies);
  CHECK_THROWS_AS(text.Run("--replace=with=1us"), Error);
}

// The peaks of a T4.
WorkbenchOptions T4() {
  WorkbenchOptions options;
  options.peaks.fp32 = 8.1e12;
  options.peaks.fp16 = 65e12;
  options.peaks.bytes_per_s = 320e9;
  return options;
}

TEST_CASE("mixed precision shortens products and inserts casts with their host cost") {
  const TextWorkbench text(kGpuBound, T4());
  const Forecast forecast = text.Run("--amp=fp16,matrix=8");
  REQUIRE(forecast.applies);
  // An eighth, but for the fixed part that every kernel has.
  CHECK(forecast.changes[0].what == "matrix work → fp16");
  CHECK(forecast.changes[0].device_after >= 250'000);
  CHECK(forecast.changes[0].device_after <= 253'000);
  std::uint32_t inserted = 0;
  DurationNs host = 0;
  for (const PlannedChange& change : forecast.changes) {
    inserted += change.inserted;
    host += change.host_after;
  }
  CHECK(inserted >= 1);
  CHECK(host > 0);
  CHECK(forecast.Speedup() > 4);
  CHECK(forecast.SpeedupLow() <= forecast.Speedup());
  CHECK(forecast.SpeedupHigh() >= forecast.Speedup());
}

TEST_CASE("mixed precision does not apply where it changes nothing") {
  CHECK(TextWorkbench(kHostBound, T4()).Run("--amp").reason ==
        "no matrix products or convolutions of a library");
  const TextWorkbench half(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-16000     kernel volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn #1)",
                           T4());
  CHECK(half.Run("--amp=fp16").reason == "no fp32 matrix work: what there is runs in fp16 already");
  CHECK_THROWS_AS(TextWorkbench(kGpuBound, T4()).Run("--amp=fp12"), Error);
  // Without a GPU nobody knows its tensor cores.
  CHECK_FALSE(TextWorkbench(kGpuBound).Run("--amp").applies);
}

TEST_CASE("a batch twice as large makes the kernels longer and not the launches") {
  const Forecast forecast = TextWorkbench(kHostBound).Run("--batch=2");
  CHECK(forecast.work == 2);
  CHECK(forecast.forecast < forecast.measured + 20'000);
  CHECK(forecast.Speedup() > 1.7);
}

TEST_CASE("elementwise kernels that follow each other become one") {
  constexpr std::string_view kName =
      "void at::native::vectorized_elementwise_kernel<(int)4, "
      "at::native::sigmoid_kernel_cuda<float>, "
      "std::array<char *, (unsigned long)2>>(int, T2, T3)";
  std::string timeline;
  for (int i = 0; i < 4; ++i) {
    const std::string call = std::to_string(i * 10'000) + "-" + std::to_string(i * 10'000 + 5'000);
    const int begin = 6'000 + i * 101'000;
    timeline += "T1 " + call + " api cudaLaunchKernel #" + std::to_string(i + 1) + "\n";
    timeline += "S7 " + std::to_string(begin) + "-" + std::to_string(begin + 100'000) +
                " kernel \"" + std::string(kName) + "\" #" + std::to_string(i + 1) +
                " grid=1000x1x1 block=128x1x1\n";
  }
  const TextWorkbench text(timeline);
  const Forecast forecast = text.Run("--fuse");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes[0].removed == 3);
  // Eight tensors moved by four kernels become two moved by one.
  CHECK(forecast.device_after == Approx(100'000).epsilon(0.05));
  CHECK_FALSE(TextWorkbench(kHostBound).Run("--fuse").applies);
}

TEST_CASE("products and a library's random numbers are in nobody's chain") {
  const TextWorkbench text(R"(
    T1 0-1000         api cudaLaunchKernel #1
    T1 2000-3000      api cudaLaunchKernel #2
    T1 4000-5000      api cudaLaunchKernel #3
    S7 10000-110000   kernel "gen_sequenced<curandStateXORWOW, double>" #1
    S7 110000-210000  kernel "vectorized_elementwise_kernel<4, scale>" #2
    S7 210000-310000  kernel ampere_sgemm_128x64_tn #3)");
  CHECK(text.Run("--fuse").reason == "no kernels that a compiler fuses follow each other");
}

// --- Own what-ifs.

Forecast RunJson(const TextWorkbench& text, std::string_view json) {
  const auto own = UserWhatIf::FromJson(json, "my.json");
  return text.Run(own->whatif());
}

TEST_CASE("own what-ifs select the critical path") {
  // Of two kernels at the same time the longer one is waited for.
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel long #1
    T1 5000-10000     api cudaLaunchKernel #2
    S8 11000-21000    kernel short #2 flag=nonblocking
    T1 12000-110000   api cudaDeviceSynchronize #3
    T1 12000-110000   sync context #3)");
  const Forecast on = RunJson(text, R"({"changes": [
    {"select": {"critical_path": true, "kind": "kernel"}, "scale": 0.5}]})");
  CHECK(on.changes[0].changed == 1);
  CHECK(on.changes[0].device_before == 100'000);
  const Forecast off = RunJson(text, R"({"changes": [
    {"select": {"not": {"critical_path": true}, "kind": "kernel"}, "scale": 0}]})");
  CHECK(off.changes[0].device_before == 10'000);
  CHECK(off.forecast == off.measured);
}

TEST_CASE("own what-ifs retime a latency") {
  const TextWorkbench text(kGpuBound);
  const Forecast forecast = RunJson(text, R"({"changes": [
    {"retime": {"latency": "stream_gap.kernel.kernel", "scale": 10}}]})");
  REQUIRE(forecast.applies);
  CHECK(forecast.forecast > forecast.measured + 10'000);
  CHECK_THROWS_WITH(RunJson(text, R"({"changes": [
    {"retime": {"latency": "no.such", "scale": 10}}]})"),
                    Catch::Contains("this trace has no latency 'no.such'"));
}

TEST_CASE("own what-ifs put work on a channel where it takes turns") {
  // Two kernels that run at the same time, on streams of their own.
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S8 6000-106000    kernel a #1 flag=nonblocking
    T1 5000-10000     api cudaLaunchKernel #2
    S9 11000-111000   kernel b #2 flag=nonblocking)");
  CHECK(text.Run("--faster=name=nothing").measured == 105'000);
  const Forecast forecast = RunJson(text, R"({"changes": [
    {"select": {"kind": "kernel"}, "schedule": {"channel": "link", "priority": 1}}]})");
  REQUIRE(forecast.applies);
  CHECK(forecast.forecast == Approx(200'000).epsilon(0.02));
}

TEST_CASE("an own what-if that cannot be read names the field") {
  auto read = [](std::string_view json) { return UserWhatIf::FromJson(json, "my.json"); };
  CHECK_THROWS_WITH(read(R"({"changes": [{"retime": {"scale": 2}}]})"),
                    Catch::Contains("changes[0].retime.latency"));
  CHECK_THROWS_WITH(read(R"({"changes": [{"select": {"kind": "kernel"}, "schedule": {}}]})"),
                    Catch::Contains("changes[0].schedule.channel"));
  CHECK_THROWS_WITH(read(R"({"changes": [{"scale": 2}]})"), Catch::Contains("changes[0].select"));
  CHECK_THROWS_AS(read("{"), Error);
  CHECK_THROWS_AS(read(R"({"changes": 1e999})"), Error);
}

}  // namespace
}  // namespace xsp
