#include "diff/matching/kernel_key.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("tile sizes, GPUs, versions and line numbers do not make another kernel", "[diff]") {
  CHECK(TuningFreeKey("ampere_sgemm_128x64_tn") == "sgemm tn");
  CHECK(TuningFreeKey("volta_sgemm_32x128_tn") == "sgemm tn");
  CHECK(TuningFreeKey("ampere_sgemm_128x64_nn") == "sgemm nn");
  CHECK(TuningFreeKey("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x5_nn_align4>"
                      "(cutlass_80_tensorop_s1688gemm_128x128_32x5_nn_align4::Params)") ==
        TuningFreeKey("void cutlass::Kernel2<cutlass_90_tensorop_s1688gemm_64x64_16x6_nn_align4>"
                      "(cutlass_90_tensorop_s1688gemm_64x64_16x6_nn_align4::Params)"));
  CHECK(TuningFreeKey("main_53_gpu__red") == TuningFreeKey("main_57_gpu__red"));
  CHECK(TuningFreeKey("triton_poi_fused_add_relu_3") == "triton poi fused add relu");
  CHECK(TuningFreeKey("volta_scudnn_128x32_relu_interior_nn_v1") ==
        TuningFreeKey("volta_scudnn_128x64_relu_small_nn_v2"));
}

TEST_CASE("what a kernel does keeps kernels apart", "[diff]") {
  CHECK(TuningFreeKey("triton_poi_fused_add_relu_3") != TuningFreeKey("triton_poi_fused_mul_3"));
  CHECK(TypeFreeKey("void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)") !=
        TypeFreeKey("void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int)"));
}

TEST_CASE("mangled and demangled names have the same key", "[diff]") {
  CHECK(TuningFreeKey("_Z6vecAddPdS_S_i") ==
        TuningFreeKey("vecAdd(double *, double *, double *, int)"));
}

TEST_CASE("without types, precision does not make another kernel", "[diff]") {
  CHECK(TuningFreeKey("ampere_sgemm_128x64_tn") !=
        TuningFreeKey("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn"));
  CHECK(TypeFreeKey("ampere_sgemm_128x64_tn") == "gemm tn");
  CHECK(TypeFreeKey("turing_h1688gemm_128x128_ldg8_stages_32x1_tn") == "gemm tn");
  CHECK(
      TypeFreeKey("void FusedBiasAddCUDAKernelHalf<MaskScaleAndElementwiseAddFunctor<__half>>(T1, "
                  "int, int, const __half *)") ==
      TypeFreeKey("void FusedBiasAddCUDAKernelFloat<MaskScaleAndElementwiseAddFunctor<float>>(T1, "
                  "int, int, const float *)"));
  CHECK(TypeFreeKey("void softmax_warp_forward<c10::Half, c10::Half, float, 9, false>(int)") ==
        TypeFreeKey("void softmax_warp_forward<float, float, float, 10, false>(int)"));
}

TEST_CASE("a name that is nothing but tuning stays as it is", "[diff]") {
  CHECK(TuningFreeKey("kernel_128x64") == "kernel_128x64");
  CHECK(TypeFreeKey("") == "");
}

TEST_CASE("ranges are compared without numbers, addresses, case and punctuation", "[diff]") {
  CHECK(LooseRangeName("Layer_17") == "layer");
  CHECK(LooseRangeName("layer 3: SelfAttention") == "layer self attention");
  CHECK(LooseRangeName("module@0x7f3a") == "module");
  CHECK(LooseRangeName("conv2d") == "conv2d");
  CHECK(LooseRangeName("42") == "42");
}

}  // namespace
}  // namespace xsp
