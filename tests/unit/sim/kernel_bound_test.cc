#include "sim/models/kernel_bound.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// A GPU of 10 TF plain, 100 TF bf16 and 1 TB/s.
WorkbenchOptions SmallGpu() {
  WorkbenchOptions options;
  options.peaks.fp32 = 10e12;
  options.peaks.bf16 = options.peaks.fp16 = 100e12;
  options.peaks.bytes_per_s = 1e12;
  return options;
}

// What bounds one kernel of so many microseconds.
BoundBy BoundOfKernel(const std::string& name, int us, const std::string& shape) {
  const TextWorkbench text("T1 0-5000 api cudaLaunchKernel #1\nS7 6000-" +
                               std::to_string(6'000 + 1'000 * us) + " kernel \"" + name + "\" #1 " +
                               shape + "\n",
                           SmallGpu());
  const TaskGraph& graph = text.bench().graph();
  return BoundOf(graph, text.bench().facts(), text.bench().machine(), graph.ops().front());
}

TEST_CASE("a product that had no time to read more is bound by its multiplications") {
  // 4096 x 4096 in 2 ms: 8.8 TF allow an inner dimension of 524, 1 TB/s one of 59,000.
  const std::string name = "ampere_sgemm_128x64_tn";
  CHECK(BoundOfKernel(name, 2'000, "grid=64x32x1 block=128x1x1").memory < 0.05);
}

TEST_CASE("a product of few rows is bound by its weights") {
  // 64 x 16384 in bf16 in 270 us: an inner dimension of 8,000 by bytes, of 10,000 by rate.
  const std::string name = "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn";
  CHECK(BoundOfKernel(name, 270, "grid=256x1x1 block=128x1x1").memory > 0.6);
}

TEST_CASE("random numbers are computed, copies and norms stream") {
  const std::string shape = "grid=1000x1x1 block=256x1x1";
  CHECK(BoundOfKernel("distribution_elementwise_grid_stride_kernel", 100, shape).memory == 0);
  CHECK(BoundOfKernel("vectorized_layer_norm_kernel", 100, shape).memory > 0.9);
  CHECK(BoundOfKernel("my_own_kernel", 100, shape).memory == 0.5);
}

TEST_CASE("a large elementwise kernel that reaches little of the bandwidth computes") {
  const std::string name =
      "void at::native::vectorized_elementwise_kernel<(int)4, "
      "at::native::erfinv_kernel_cuda<float>, "
      "std::array<char *, (unsigned long)2>>(int, T2, T3)";
  // 16 million elements, read and written: 134 MB.
  const std::string shape = "grid=32768x1x1 block=128x1x1";
  CHECK(BoundOfKernel(name, 170, shape).memory > 0.9);
  CHECK(BoundOfKernel(name, 900, shape).memory < 0.1);
}

}  // namespace
}  // namespace xsp
