#include <catch2/catch.hpp>
#include <string>

#include "base/error.h"
#include "tests/unit/sim/text_workbench.h"

// What-ifs that change kernels. Unless a test says otherwise the host is far ahead and the GPU is
// the limit, so that a forecast is the span of the kernels.
namespace xsp {
namespace {

using test::TextWorkbench;

// A GPU as users state it: 10 TF plain, 100 TF bf16, 200 TF fp8, 1 TB/s.
WorkbenchOptions Peaks() {
  WorkbenchOptions options;
  options.peaks.fp32 = 10e12;
  options.peaks.bf16 = options.peaks.fp16 = 100e12;
  options.peaks.fp8 = 200e12;
  options.peaks.bytes_per_s = 1e12;
  return options;
}

double GainedUs(const Forecast& forecast) {
  return static_cast<double>(forecast.measured - forecast.forecast) / 1000;
}

// Device time of the changes, in microseconds: "60 -> 40; 10 -> 0".
std::string Changed(const Forecast& forecast) {
  std::string text;
  for (const PlannedChange& change : forecast.changes) {
    text += (text.empty() ? "" : "; ") + std::to_string(change.device_before / 1000) + " -> " +
            std::to_string(change.device_after / 1000);
  }
  return text;
}

// Forward: convolution 100, batch-norm 60, ReLU 20. Backward: ReLU 20, batch-norm 100, conv 200.
constexpr std::string_view kConvNet = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  1000-2000    api cudaLaunchKernel #1
    T1  3000-4000    api cudaLaunchKernel #2
    T1  5000-6000    api cudaLaunchKernel #3
    T1  200-6500       push forward
    T1  7000-13000   push backward
    T1  7000-8000    api cudaLaunchKernel #4
    T1  9000-10000   api cudaLaunchKernel #5
    T1  11000-12000  api cudaLaunchKernel #6
    S7  10000-110000  kernel scudnn_128x64_relu #1
    S7  110000-170000 kernel batch_norm_collect_statistics_kernel #2
    S7  170000-190000 kernel "vectorized_elementwise_kernel<4, relu>" #3
    S7  190000-210000 kernel "vectorized_elementwise_kernel<4, threshold>" #4
    S7  210000-310000 kernel batch_norm_backward_kernel #5
    S7  310000-510000 kernel scudnn_128x64_wgrad #6)";

TEST_CASE("batch-norm with fewer passes takes 2 of 3 forward and 3 of 5 backward without ReLU") {
  const Forecast forecast = TextWorkbench(kConvNet).Run("--batch-norm");
  REQUIRE(forecast.applies);
  CHECK(Changed(forecast) == "160 -> 100; 40 -> 0");
  CHECK(GainedUs(forecast) == Approx(60 + 40).margin(6));
}

TEST_CASE("the paper's batch-norm takes half") {
  const TextWorkbench bench(kConvNet);
  const WhatIf* whatif = FindWhatIf("batch-norm");
  const ChosenWhatIf chosen{whatif, WhatIfValues(whatif->name, whatif->options, "")};
  const auto classic = bench.bench().RunClassic({&chosen, 1});
  REQUIRE(classic);
  CHECK(*classic / 1000 == Approx(510 - 80 - 40).margin(8));
}

TEST_CASE("batch-norm of inference is left alone") {
  const Forecast forecast = TextWorkbench(R"(
    T1  0-1000      api cudaLaunchKernel #1
    S7  2000-90000  kernel batch_norm_transform_input_kernel #1)")
                                .Run("--batch-norm");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason.find("inference") != std::string::npos);
  CHECK(forecast.Speedup() == 1);
}

constexpr std::string_view kAttention = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    T1  4000-5000    api cudaLaunchKernel #3
    T1  6000-7000    api cudaLaunchKernel #4
    T1  8000-9000    api cudaLaunchKernel #5
    S7  10000-110000  kernel ampere_sgemm_128x64_tn #1
    S7  110000-150000 kernel "vectorized_elementwise_kernel<4, scale>" #2
    S7  150000-250000 kernel softmax_warp_forward #3
    S7  250000-350000 kernel ampere_sgemm_128x64_nn #4
    S7  350000-400000 kernel ampere_sgemm_128x64_tn #5)";

TEST_CASE("fused attention takes as long as its two products") {
  const Forecast forecast = TextWorkbench(kAttention).Run("--attention");
  REQUIRE(forecast.applies);
  CHECK(Changed(forecast) == "340 -> 200");
  CHECK(forecast.changes.front().removed == 4);
  CHECK(forecast.changes.front().inserted == 1);
  CHECK(GainedUs(forecast) == Approx(140).margin(8));
  // 0.6 of the products at best; never slower than what it replaces, but for another run. Half of
  // the span, and the trust of so few operations, is no reason for more.
  const DurationNs another = forecast.forecast / 10;
  CHECK(forecast.fast <= forecast.forecast - 80'000);
  CHECK(forecast.slow <= forecast.measured + another);
}

TEST_CASE("the gradient of attention computes the scores anew") {
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-9500       push backward
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    T1  4000-5000    api cudaLaunchKernel #3
    T1  6000-7000    api cudaLaunchKernel #4
    T1  8000-9000    api cudaLaunchKernel #5
    S7  10000-50000   kernel ampere_sgemm_128x64_tn #1
    S7  50000-90000   kernel ampere_sgemm_128x64_nt #2
    S7  90000-190000  kernel softmax_warp_backward #3
    S7  190000-230000 kernel ampere_sgemm_128x64_nn #4
    S7  230000-270000 kernel ampere_sgemm_128x64_nt #5)")
                                .Run("--attention");
  REQUIRE(forecast.applies);
  CHECK(Changed(forecast) == "260 -> 200");  // 4 x 40 x 5/4.
}

TEST_CASE("a softmax behind which no product stands is no attention") {
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    S7  10000-110000  kernel ampere_sgemm_128x64_tn #1
    S7  110000-150000 kernel softmax_warp_forward #2)")
                                .Run("--attention");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.Speedup() == 1);
}

TEST_CASE("fused attention is told as such") {
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    S7  10000-110000  kernel flash_fwd_kernel #1)")
                                .Run("--attention");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason == "attention is fused already");
}

constexpr std::string_view kLinear = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    S7  10000-1010000   kernel ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn #1
    S7  1010000-1040000 kernel ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn #2)";

TEST_CASE("fp8 makes long half-precision products faster and puts conversions before them") {
  const Forecast forecast = TextWorkbench(kLinear, Peaks()).Run("--fp8");
  REQUIRE(forecast.applies);
  REQUIRE(forecast.changes.size() == 2);
  // Twice the peak, 0.73 of it reached for 0.77: less than half goes. The short one stays.
  CHECK(forecast.changes[0].changed == 1);
  CHECK(forecast.changes[0].device_after < 0.65 * 1e6);
  CHECK(forecast.changes[0].device_after > 0.45 * 1e6);
  CHECK(forecast.changes[1].inserted == 2);
}

TEST_CASE("fp8 needs a GPU that has it and half-precision products") {
  CHECK(TextWorkbench(kLinear).Run("--fp8").reason.find("does not tell which GPU") !=
        std::string::npos);
  const Forecast single = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    S7  10000-110000  kernel ampere_sgemm_128x64_tn #1)",
                                        Peaks())
                              .Run("--fp8");
  CHECK_FALSE(single.applies);
  CHECK(single.reason.find("--amp --fp8") != std::string::npos);
  CHECK_FALSE(TextWorkbench(kLinear, Peaks()).Run("--fp8=least=5ms").applies);
}

TEST_CASE("channels-last drops conversions and makes tensor-core convolutions a fifth faster") {
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    T1  4000-5000    api cudaLaunchKernel #3
    S7  10000-60000   kernel "cudnn::ops::nchwToNhwcKernel<__half>" #1
    S7  60000-180000  kernel turing_h1688cudnn_128x128_ldg8_relu_exp_medium_nt #2
    S7  180000-230000 kernel "cudnn::ops::nhwcToNchwKernel<__half>" #3)")
                                .Run("--channels-last");
  REQUIRE(forecast.applies);
  CHECK(Changed(forecast) == "100 -> 0; 120 -> 100");
  CHECK(GainedUs(forecast) == Approx(100 + 20).margin(6));
}

TEST_CASE("channels-last leaves single-precision convolutions alone") {
  const Forecast forecast = TextWorkbench(kConvNet).Run("--channels-last");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.Speedup() == 1);
}

TEST_CASE("another GPU needs to know this one and to be known") {
  const TextWorkbench bench(kAttention);
  CHECK_FALSE(bench.Run("--on-gpu=H100").applies);
  CHECK_THROWS_AS(bench.Run("--on-gpu=Nonesuch"), Error);
  CHECK_THROWS_AS(bench.Run("--on-gpu"), Error);
}

}  // namespace
}  // namespace xsp
