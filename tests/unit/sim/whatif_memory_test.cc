#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sim/text_workbench.h"

// What-ifs that trade time for memory.
namespace xsp {
namespace {

using test::TextWorkbench;

// Forward 100 + 20, backward 40 + 200, in microseconds. The convolution is 64 tiles of 128 x 64 in
// single precision: 2 MiB. The ReLU has 512 x 128 threads of 4 elements: 1 MiB.
constexpr std::string_view kTraining = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-5000       push forward
    T1  1000-2000    api cudaLaunchKernel #1
    T1  3000-4000    api cudaLaunchKernel #2
    T1  6000-12000   push backward
    T1  6500-7500    api cudaLaunchKernel #3
    T1  9000-10000   api cudaLaunchKernel #4
    S7  10000-110000  kernel volta_sgemm_128x64_nn #1 grid=8x8x1 block=128x1x1
    S7  110000-130000 kernel "void at::native::vectorized_elementwise_kernel<4, relu, std::array<char*, 2ul>>" #2 grid=512x1x1 block=128x1x1
    S7  130000-170000 kernel threshold_backward #3
    S7  170000-370000 kernel volta_sgemm_128x64_nt #4)";
constexpr double kMiB = 1 << 20;

double GainedUs(const Forecast& forecast) {
  return static_cast<double>(forecast.measured - forecast.forecast) / 1000;
}

TEST_CASE("checkpointing runs the forward pass again and keeps one segment") {
  const Forecast forecast = TextWorkbench(kTraining).Run("--checkpoint=segments=2");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes.front().inserted == 2);
  CHECK(forecast.changes.front().device_after == 120'000);
  CHECK(GainedUs(forecast) == Approx(-120).margin(8));
  REQUIRE(forecast.memory_bytes);
  CHECK(*forecast.memory_bytes == Approx(-1.5 * kMiB));
}

TEST_CASE("checkpointing takes the size of activations from the user") {
  const Forecast forecast = TextWorkbench(kTraining).Run("--checkpoint=segments=4,activations=8GB");
  REQUIRE(forecast.memory_bytes);
  CHECK(*forecast.memory_bytes == Approx(-6e9));
}

TEST_CASE("Gist codes the results of ReLUs") {
  const Forecast forecast = TextWorkbench(kTraining).Run("--gist=ratio=2");
  REQUIRE(forecast.applies);
  // One and a half tensors instead of two: 15 of 20 us, twice.
  CHECK(GainedUs(forecast) == Approx(-30).margin(8));
  REQUIRE(forecast.memory_bytes);
  CHECK(*forecast.memory_bytes == Approx(-0.5 * kMiB));
}

TEST_CASE("vDNN hides copies behind kernels as far as it can") {
  // 2 MiB at 20 GB/s take 105 us each way: the way out runs beside the rest of the forward pass,
  // the way back beside the gradient of the ReLU, and the product waits for it.
  const Forecast slow = TextWorkbench(kTraining).Run("--vdnn=bandwidth=20GB");
  REQUIRE(slow.applies);
  CHECK(slow.changes[0].inserted == 1);
  CHECK(slow.changes[1].inserted == 1);
  CHECK(slow.forecast > slow.measured + 100'000);
  const Forecast fast = TextWorkbench(kTraining).Run("--vdnn=bandwidth=2000GB");
  CHECK(GainedUs(fast) == Approx(0).margin(15));
  CHECK(fast.forecast < slow.forecast);
}

TEST_CASE("results are as large as recorded sizes tell and an operation counts once") {
  // A product of 1024 x 512 by 512 x 2048 in two kernels: 8 MiB of results.
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-5000     push forward
    T1  300-4500     push "aten::mm, seq = 1, sizes = [[1024, 512], [512, 2048]]"
    T1  1000-2000    api cudaLaunchKernel #1
    T1  3000-4000    api cudaLaunchKernel #2
    T1  6000-12000   push backward
    T1  6500-7500    api cudaLaunchKernel #3
    S7  10000-110000  kernel volta_sgemm_128x64_nn #1 grid=8x8x1 block=128x1x1
    S7  110000-130000 kernel volta_sgemm_128x64_nn #2 grid=8x8x1 block=128x1x1
    S7  130000-330000 kernel volta_sgemm_128x64_nt #3)")
                                .Run("--checkpoint=segments=2");
  REQUIRE(forecast.memory_bytes);
  CHECK(*forecast.memory_bytes == Approx(-4 * kMiB));
}

TEST_CASE("without a backward pass there is nothing to keep") {
  const TextWorkbench bench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    S7  10000-110000  kernel ampere_sgemm_128x64_tn #1)");
  for (const char* whatif : {"--checkpoint", "--gist", "--vdnn"}) {
    CAPTURE(whatif);
    const Forecast forecast = bench.Run(whatif);
    CHECK_FALSE(forecast.applies);
    CHECK(forecast.Speedup() == 1);
    CHECK_FALSE(forecast.memory_bytes);
    CHECK(forecast.changes.empty());
  }
}

}  // namespace
}  // namespace xsp
