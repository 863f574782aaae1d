#include "hierarchy/hardware/gemm_shape.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("the tile of a matrix product is in its name") {
  CHECK(GemmTileOf("volta_sgemm_128x64_tn") == GemmTile{128, 64});
  CHECK(GemmTileOf("ampere_sgemm_32x32_sliced1x4_tn") == GemmTile{32, 32});
  CHECK(GemmTileOf("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn") ==
        GemmTile{128, 64});
  CHECK(
      GemmTileOf("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x128_32x6_"
                 "nn_align8>(T1::Params)") == GemmTile{64, 128});
  CHECK(GemmTileOf("nvjet_tst_192x208_64x4_1x1_h_bz_coopB_bias_TNT") == GemmTile{192, 208});
  CHECK(
      GemmTileOf("sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize256x64x32_"
                 "stage3_warpsize4x1x1_g1_tensor16x8x16_execute_kernel_trt") == GemmTile{256, 64});
  CHECK(GemmTileOf("Cijk_Alik_Bljk_BBS_BH_Bias_UserArgs_MT16x32x256_MI16x16x1_SN") ==
        GemmTile{16, 32});
  CHECK(GemmTileOf("volta_scudnn_128x32_relu_interior_nn_v1") == GemmTile{128, 32});
}

TEST_CASE("a name without a tile has none") {
  CHECK(GemmTileOf("sgemm_largek_lds64") == std::nullopt);
  CHECK(GemmTileOf("reduce_1024x1024") == std::nullopt);
  CHECK(GemmTileOf("gemm_99999999999999999999x64_nn") == std::nullopt);
  CHECK(GemmTileOf("gemm_x_1x_x4") == std::nullopt);
  CHECK(GemmTileOf("") == std::nullopt);
}

// Grids and shapes that PyTorch recorded for one multi-layer perceptron on a T4.
TEST_CASE("M and N are tile times grid where blocks lie as the result does") {
  const auto shape = GemmShapeOf("volta_sgemm_128x64_tn", 16, 8, 3);  // 512 x 784 by 784 x 2048.
  REQUIRE(shape);
  CHECK(shape->m == 2048u);
  CHECK(shape->n == 512u);
  CHECK(shape->outputs == 2048u * 512u);
  CHECK(shape->slices == 3);

  const auto half =
      GemmShapeOf("turing_fp16_s1688gemm_fp16_128x256_ldg8_relu_f2f_stages_32x1_tn", 16, 2, 1);
  REQUIRE(half);
  CHECK(half->m == 2048u);
  CHECK(half->n == 512u);

  const auto ragged = GemmShapeOf("volta_sgemm_128x64_nt", 7, 32, 1);  // 2048 x 512 by 512 x 784.
  REQUIRE(ragged);
  CHECK(ragged->m == 896u);  // 784, rounded up to whole tiles.
  CHECK(ragged->n == 2048u);
}

TEST_CASE("of a CUTLASS grid only the number of results is sure") {
  // 512 x 10 by 10 x 1024: 4 x 4 tiles, laid out as 16 x 1.
  const auto shape = GemmShapeOf(
      "void cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align2>(T1::Params)",
      16, 1, 1);
  REQUIRE(shape);
  CHECK(shape->m == std::nullopt);
  CHECK(shape->n == std::nullopt);
  CHECK(shape->outputs == 1024u * 512u);
}

TEST_CASE("kernels that fill the GPU whatever the shape tell nothing by their grid") {
  CHECK(GemmShapeOf("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", 2, 66, 1) == std::nullopt);
  CHECK(GemmShapeOf("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_"
                    "execute_segment_k_off_kernel__5x_cublas",
                    30, 1, 1) == std::nullopt);
  CHECK(GemmShapeOf("volta_scudnn_128x32_relu_interior_nn_v1", 4, 4, 1) == std::nullopt);
  CHECK(GemmShapeOf("volta_sgemm_128x64_tn", 0, 8, 1) == std::nullopt);
}

TEST_CASE("absurd grids do not overflow") {
  CHECK(GemmShapeOf("volta_sgemm_128x64_tn", 0xffffffff, 0xffffffff, 1) == std::nullopt);
}

}  // namespace
}  // namespace xsp
