#include "hierarchy/analyses/kernel_figures.h"

#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/analyses/profile_of.h"

using namespace xsp;
using test::ProfileOfText;

namespace {

KernelCounters Counters(std::string kernel, std::uint32_t grid, double flops) {
  KernelCounters counters;
  counters.kernel = std::move(kernel);
  counters.grid = {grid, 1, 1};
  counters.block = {64, 1, 1};
  counters.flops = flops;
  counters.dram_read_bytes = 10;
  counters.dram_write_bytes = 20;
  counters.occupancy = 0.5;
  return counters;
}

constexpr std::string_view kTwoShapes = R"x(
  T1   0-1   api cudaLaunchKernel #1
  T1   2-3   api cudaLaunchKernel #2
  S7  10-20  kernel "void ns::k<4>(float *, int)" #1 grid=2x1x1 block=64x1x1
  S7  20-50  kernel "void ns::k<4>(float *, int)" #2 grid=3x1x1 block=64x1x1
)x";

}  // namespace

TEST_CASE("counters are joined by name and launch shape and the join rate is told") {
  const Profile profile =
      ProfileOfText(kTwoShapes, {Counters("void ns::k<(int)4>(float*, int)", 2, 100)});
  CHECK(profile.has_counters);
  CHECK(profile.join.calls == 2);
  CHECK(profile.join.joined_calls == 1);
  CHECK(profile.join.time == 40);
  CHECK(profile.join.joined_time == 10);
  const GpuFigures& all = profile.ranks.at(0).gpu;
  CHECK(all.Flops() == 100.0);
  CHECK(all.Intensity() == 100.0 / 30);
  CHECK(all.Occupancy() == 0.5);
  CHECK(SourceWords(all.flops_source) == "ncu");
}

TEST_CASE("several profiled launches of a kernel and shape give their mean") {
  const Profile profile = ProfileOfText(kTwoShapes, {Counters("ns::k<4>(float*, int)", 3, 100),
                                                     Counters("ns::k<4>(float*, int)", 3, 300)});
  CHECK(profile.ranks.at(0).gpu.Flops() == 200.0);
}

TEST_CASE("a bare name serves only where it means one kernel") {
  CHECK(ProfileOfText(kTwoShapes, {Counters("k", 2, 100)}).join.joined_calls == 1);
  constexpr std::string_view kTwoKernels = R"x(
    T1   0-1   api cudaLaunchKernel #1
    T1   2-3   api cudaLaunchKernel #2
    S7  10-20  kernel "void k<4>(float *)" #1 grid=2x1x1 block=64x1x1
    S7  20-50  kernel "void k<8>(float *)" #2 grid=2x1x1 block=64x1x1
  )x";
  const Profile two = ProfileOfText(kTwoKernels, {Counters("k", 2, 100)});
  CHECK(two.join.joined_calls == 0);
}

TEST_CASE("thread instructions do not stand for what tensor cores did") {
  constexpr std::string_view kTensor = R"(
    T1   0-1   api cudaLaunchKernel #1
    S7  10-20  kernel ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn #1 grid=2x1x1 block=64x1x1
  )";
  KernelCounters counters =
      Counters("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn", 2, 7);
  CHECK_FALSE(ProfileOfText(kTensor, {counters}).ranks.at(0).gpu.Flops());
  counters.has_tensor_flops = true;
  CHECK(ProfileOfText(kTensor, {counters}).ranks.at(0).gpu.Flops() == 7.0);
}

TEST_CASE("recorded sizes give flop and least traffic to the product kernels of an operation") {
  const Profile profile = ProfileOfText(R"x(
    T1   0-20  push "aten::linear, seq = 1, sizes = [[32, 128], [64, 128], [64]]"
    T1   1-19  push "aten::addmm, seq = 1, sizes = [[64], [32, 128], [128, 64]]"
    T1   2-3   api cudaLaunchKernel #1
    T1   4-5   api cudaLaunchKernel #2
    T1   6-7   api cudaLaunchKernel #3
    S7  10-40  kernel ampere_sgemm_128x64_tn #1 grid=1x1x1 block=64x1x1
    S7  40-50  kernel "void splitKreduce_kernel<float>(float*)" #2 grid=1x1x1 block=64x1x1
    S7  50-60  kernel "void elementwise_kernel<4>(int)" #3 grid=1x1x1 block=64x1x1
  )x");
  const RankProfile& rank = profile.ranks.at(0);
  CHECK(rank.gpu.Flops() == 2.0 * 32 * 128 * 64);
  CHECK(SourceWords(rank.gpu.flops_source) == "shapes");
  REQUIRE(rank.kernels.size() == 3);
  CHECK(rank.kernels[0].gpu.Flops() == 2.0 * 32 * 128 * 64 * 30 / 40);
  CHECK(rank.kernels[0].gpu.ReadBytes() == 4.0 * (32 * 128 + 128 * 64 + 32 * 64) * 30 / 40);
  CHECK_FALSE(rank.kernels[2].gpu.Flops());
  CHECK(rank.layers.at(0).shape == "[[32, 128], [64, 128], [64]]");
}

TEST_CASE("a convolution done as a product is estimated from tile and grid and its filter") {
  const Profile profile = ProfileOfText(R"(
    T1   0-20  push "aten::cudnn_convolution, sizes = [[8, 16, 32, 32], [64, 16, 3, 3]]"
    T1   2-3   api cudaLaunchKernel #1
    S7  10-40  kernel ampere_sgemm_128x64_nn #1 grid=64x1x1 block=128x1x1
  )");
  const GpuFigures& all = profile.ranks.at(0).gpu;
  CHECK(all.Flops() == 2.0 * (64 * 128 * 64) * (16 * 3 * 3));
  CHECK(SourceWords(all.flops_source) == "tile");
  CHECK_FALSE(all.Intensity());
}

TEST_CASE("a convolution kernel whose grid does not follow its results is not estimated") {
  const Profile profile = ProfileOfText(R"(
    T1   0-20  push "aten::cudnn_convolution, sizes = [[8, 16, 32, 32], [64, 16, 3, 3]]"
    T1   2-3   api cudaLaunchKernel #1
    S7  10-40  kernel volta_scudnn_128x64_relu_interior_nn_v1 #1 grid=64x1x1 block=128x1x1
  )");
  CHECK_FALSE(profile.ranks.at(0).gpu.Flops());
}
