#include "sim/models/autocast.h"

#include <catch2/catch.hpp>

#include "model/names/kernel_rules.h"

namespace xsp {
namespace {

Autocast RuleOf(std::string_view kernel, std::string_view operation = "",
                Phase phase = Phase::kForward) {
  return AutocastOf(KernelRules::BuiltIn().Classify(kernel), kernel, operation, phase);
}

TEST_CASE("matrix work is done in the lower format") {
  CHECK(RuleOf("volta_sgemm_128x64_tn") == Autocast::kLower);
  CHECK(RuleOf("ampere_scudnn_128x64_relu_interior_nn_v1") == Autocast::kLower);
  CHECK(RuleOf("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)") ==
        Autocast::kLower);
}

TEST_CASE("activations work in the format that they are given") {
  CHECK(RuleOf("void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl("
               "at::TensorIteratorBase&, at::native::GeluType)::{lambda(float)#1}, "
               "at::detail::Array<char*, 2>>(int, float)") == Autocast::kFollow);
  CHECK(
      RuleOf("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float>()") ==
      Autocast::kFollow);
}

TEST_CASE("sums of two tensors work in the wider format") {
  const char kAdd[] =
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
      "at::detail::Array<char*, 3>>(int, at::native::CUDAFunctor_add<float>)";
  CHECK(RuleOf(kAdd) == Autocast::kPromote);
  CHECK(OperandsRead(kAdd, "") == 2);
}

TEST_CASE("norms, powers, exponentials and losses stay in fp32") {
  CHECK(RuleOf("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>("
               "int)") == Autocast::kFp32);
  CHECK(RuleOf("void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
               "namespace)::pow_tensor_scalar_kernel_impl<float, float>(x), "
               "at::detail::Array<char*, 2>>(int)") == Autocast::kFp32);
  CHECK(RuleOf("void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<"
               "float, float, long>(float*)") == Autocast::kFp32);
  CHECK(RuleOf("void at::native::vectorized_elementwise_kernel<4, F, at::detail::Array<char*, 2>>("
               "float)",
               "aten::rsqrt") == Autocast::kFp32);
}

TEST_CASE("batch norm works in the format that it is given") {
  CHECK(RuleOf("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>()") ==
        Autocast::kFollow);
}

TEST_CASE("softmax converts on the way") {
  CHECK(RuleOf("void (anonymous namespace)::softmax_warp_forward<float, float, float, 4, true, "
               "false>(float*, float const*, int, int, int)") == Autocast::kFp32Out);
}

TEST_CASE("the optimizer, what is half already, and integers are not touched") {
  CHECK(RuleOf("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<float>()") ==
        Autocast::kUntouched);
  CHECK(RuleOf("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<"
               "float>, at::detail::Array<char*, 3>>(int)",
               "", Phase::kOptimizer) == Autocast::kUntouched);
  CHECK(RuleOf("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn") ==
        Autocast::kUntouched);
  CHECK(RuleOf("void saxpy(int, float*)") == Autocast::kUntouched);
}

}  // namespace
}  // namespace xsp
