#include "sample_traces/kernels.h"

#include <algorithm>
#include <string>

namespace xsp::samples {
namespace {

constexpr int64_t kMultiprocessors = 108;
constexpr int64_t kFp32FlopPerNs = 14'500;
constexpr int64_t kTf32FlopPerNs = 74'000;
constexpr int64_t kHalfFlopPerNs = 148'000;
constexpr int64_t kBytesPerNs = 1'280;  // achieved memory bandwidth
constexpr int64_t kFixedNs = 1'600;     // what even the smallest kernel takes

int32_t Blocks(int64_t work, int64_t per_block) {
  return static_cast<int32_t>(std::max<int64_t>(1, (work + per_block - 1) / per_block));
}

// A grid that gives every multiprocessor two blocks fills the device.
int32_t Share(const KernelSpec& kernel) {
  const int64_t blocks = int64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  return static_cast<int32_t>(
      std::clamp<int64_t>(blocks * 1'000 / (2 * kMultiprocessors), 10, 1'000));
}

int64_t BytesNs(int64_t bytes) { return kFixedNs + bytes / kBytesPerNs; }

// `signature` with its parameter list; the short name is what stands before templates.
KernelSpec Named(std::string signature, std::string short_name) {
  KernelSpec kernel;
  kernel.demangled = std::move(signature);
  kernel.short_name = std::move(short_name);
  return kernel;
}

KernelSpec Shaped(KernelSpec kernel, int32_t grid, int32_t block, int32_t registers,
                  int64_t duration_ns) {
  kernel.grid = {grid, 1, 1};
  kernel.block = {block, 1, 1};
  kernel.registers = registers;
  kernel.duration_ns = duration_ns;
  kernel.sm_permille = Share(kernel);
  return kernel;
}

int64_t ElementSize(Precision precision) { return precision == Precision::kAmp ? 2 : 4; }

}  // namespace

KernelSpec GemmKernel(int64_t m, int64_t n, int64_t k, std::string_view layout,
                      Precision precision) {
  const bool half = precision == Precision::kAmp;
  const bool tf32 = precision == Precision::kTf32;
  const bool large = m >= 1'024 && n >= 1'024;
  std::string name;
  if (tf32) {
    name = std::string("ampere_tf32_s1688gemm_fp32_") + (large ? "128x64_" : "64x32_");
  } else if (half) {
    name = std::string("ampere_bf16_s16816gemm_bf16_") +
           (large ? "128x128_ldg8_f2f_stages_32x5_" : "64x64_ldg8_f2f_stages_64x5_");
  } else {
    name = std::string("ampere_sgemm_") + (large ? "128x64_" : "64x32_sliced1x4_");
  }
  name += layout;
  KernelSpec kernel = Named(name, name);
  kernel.mangled = name;
  const int64_t tile_m = large ? 128 : 64;
  const int64_t tile_n = half && large ? 128 : half ? 64 : large ? 64 : 32;
  kernel.grid = {Blocks(n, tile_n), Blocks(m, tile_m), 1};
  kernel.block = {large ? 256 : 128, 1, 1};
  kernel.registers = half ? 234 : 122;
  kernel.static_shared = half ? 0 : 12'800;
  kernel.dynamic_shared = half ? 81'920 : 0;
  kernel.api = half ? "cuLaunchKernel" : "cudaLaunchKernel_v7000";
  const int64_t flop = 2 * m * n * k;
  const int64_t bytes = (m * k + k * n + m * n) * ElementSize(precision);
  const int64_t compute_ns = flop / (half   ? kHalfFlopPerNs
                                     : tf32 ? kTf32FlopPerNs
                                            : kFp32FlopPerNs);
  kernel.duration_ns = std::max(compute_ns + 2'400, BytesNs(bytes));
  kernel.sm_permille = Share(kernel);
  return kernel;
}

KernelSpec ElementwiseKernel(std::string_view functor, int64_t elements, int operands,
                             Precision precision) {
  const bool half = precision == Precision::kAmp;
  KernelSpec kernel = Named(
      "void at::native::vectorized_elementwise_kernel<(int)4, at::native::" + std::string(functor) +
          "<" + (half ? "c10::BFloat16" : "float") + ">, std::array<char *, (unsigned long)" +
          std::to_string(operands) + ">>(int, T2, T3)",
      "vectorized_elementwise_kernel");
  const int64_t bytes = elements * ElementSize(precision) * operands;
  return Shaped(std::move(kernel), Blocks(elements, 512), 128, 22, BytesNs(bytes));
}

KernelSpec CastKernel(int64_t elements, bool to_half) {
  const std::string functor =
      to_half ? "bfloat16_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda(float) (instance 1)]"
              : "direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance "
                "3)]::operator ()() const::[lambda(float) (instance 1)]";
  KernelSpec kernel =
      Named("void at::native::unrolled_elementwise_kernel<at::native::" + functor +
                ", std::array<char *, (unsigned long)2>, (int)4, TrivialOffsetCalculator<(int)1, "
                "unsigned int>, TrivialOffsetCalculator<(int)1, unsigned int>, "
                "at::native::memory::LoadWithCast<(int)1>, "
                "at::native::memory::StoreWithCast<(int)1>>(int, T1, T2, T4, T5, T6, T7)",
            "unrolled_elementwise_kernel");
  // The way back is not vectorized: on a T4 it reached some 0.6 of the bandwidth.
  return Shaped(std::move(kernel), Blocks(elements, 512), 128, 32,
                BytesNs(elements * (to_half ? 6 : 10)));
}

KernelSpec LayerNormKernel(int64_t rows, int64_t width, bool backward) {
  KernelSpec kernel =
      backward ? Named(
                     "void at::native::<unnamed>::layer_norm_grad_input_kernel_vectorized<float, "
                     "float>(const T1 *, const T1 *, const T2 *, const T2 *, const T1 *, T1 *, "
                     "int)",
                     "layer_norm_grad_input_kernel_vectorized")
               : Named(
                     "void at::native::<unnamed>::vectorized_layer_norm_kernel<float, "
                     "float>(int, T2, const T1 *, const T1 *, const T1 *, T2 *, T2 *, T1 *)",
                     "vectorized_layer_norm_kernel");
  return Shaped(std::move(kernel), Blocks(rows, 1), 128, backward ? 40 : 32,
                BytesNs(rows * width * (backward ? 12 : 8)));
}

KernelSpec ReduceKernel(std::string_view functor, int64_t elements) {
  KernelSpec kernel = Named(
      "void at::native::reduce_kernel<(int)512, (int)1, "
      "at::native::ReduceOp<float, at::native::" +
          std::string(functor) + "<float>, unsigned int, float, (int)4>>(T3)",
      "reduce_kernel");
  kernel = Shaped(std::move(kernel), Blocks(elements, 8'192), 512, 32, BytesNs(elements * 4) + 900);
  kernel.static_shared = 16;
  return kernel;
}

KernelSpec SoftmaxKernel(int64_t rows, int64_t width, bool backward) {
  KernelSpec kernel =
      backward ? Named(
                     "void at::native::<unnamed>::cunn_SoftMaxBackward<(int)4, float, float, "
                     "float, at::native::<unnamed>::LogSoftMaxBackwardEpilogue>(T2 *, const T4 "
                     "*, const T4 *, long)",
                     "cunn_SoftMaxBackward")
               : Named(
                     "void at::native::<unnamed>::cunn_SoftMaxForward<(int)4, float, float, "
                     "float, at::native::<unnamed>::LogSoftMaxForwardEpilogue>(T4 *, const T2 "
                     "*, int)",
                     "cunn_SoftMaxForward");
  kernel = Shaped(std::move(kernel), Blocks(rows, 1), 1'024, 28,
                  BytesNs(rows * width * (backward ? 12 : 8)));
  kernel.dynamic_shared = 2'048;
  return kernel;
}

KernelSpec AttentionKernel(int64_t batch, int64_t heads, int64_t sequence, int64_t head_size,
                           bool backward, Precision precision) {
  const int64_t flop = 4 * batch * heads * sequence * sequence * head_size * (backward ? 5 : 2) / 4;
  KernelSpec kernel;
  if (precision == Precision::kAmp) {
    const std::string name =
        backward ? "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel" : "flash_fwd_kernel";
    kernel = Named("void flash::" + name + "<Flash_" + (backward ? "bwd" : "fwd") +
                       "_kernel_traits<(int)64, (int)128, (int)128, (int)4, (bool)0, (bool)0, "
                       "cutlass::bfloat16_t>, (bool)0, (bool)1>(flash::Flash_" +
                       (backward ? "bwd" : "fwd") + "_params)",
                   name);
  } else {
    const std::string name = backward ? "fmha_cutlassB_f32_aligned_64x64_k64_sm80"
                                      : "fmha_cutlassF_f32_aligned_64x64_rf_sm80";
    kernel = Named(name + "(PyTorchMemEffAttention::Attention" + (backward ? "Backward" : "") +
                       "Kernel<float, cutlass::arch::Sm80, (bool)1, (int)64, (int)64>::Params)",
                   name);
  }
  const int64_t rate = precision == Precision::kAmp ? kHalfFlopPerNs / 2 : kFp32FlopPerNs * 3 / 4;
  kernel = Shaped(std::move(kernel), Blocks(sequence, 64), 128, 255, flop / rate + 3'000);
  kernel.grid = {Blocks(sequence, 64), static_cast<int32_t>(heads), static_cast<int32_t>(batch)};
  kernel.dynamic_shared = 49'152;
  kernel.sm_permille = Share(kernel);
  return kernel;
}

KernelSpec EmbeddingKernel(int64_t tokens, int64_t width, bool backward) {
  KernelSpec kernel =
      backward ? Named(
                     "void at::native::<unnamed>::embedding_backward_feature_kernel<float, "
                     "float, long>(const T3 *, const T1 *, T1 *, int, long, int)",
                     "embedding_backward_feature_kernel")
               : Named(
                     "void at::native::<unnamed>::indexSelectLargeIndex<float, long, unsigned "
                     "int, (int)2, (int)2, (int)-2, (bool)1>(at::cuda::detail::TensorInfo<T1, "
                     "T3>, at::cuda::detail::TensorInfo<const T1, T3>, T3)",
                     "indexSelectLargeIndex");
  return Shaped(std::move(kernel), Blocks(tokens * width, 1'024), 128, 32,
                BytesNs(tokens * width * (backward ? 12 : 8)));
}

KernelSpec LossKernel(int64_t rows, bool backward) {
  const std::string name = backward ? "nll_loss_backward_reduce_cuda_kernel_2d"
                                    : "nll_loss_forward_reduce_cuda_kernel_2d";
  KernelSpec kernel = Named("void at::native::<unnamed>::" + name +
                                "<float, float, long>(T1 *, T1 *, const T1 *, const T3 *, const "
                                "T1 *, bool, long, long, long, long)",
                            name);
  return Shaped(std::move(kernel), 1, 32, 34, 4'200 + rows * 4);
}

KernelSpec OptimizerKernel(std::string_view functor, int64_t parameters) {
  KernelSpec kernel = Named(
      "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
      "TensorListMetadata<(int)4>, at::native::<unnamed>::" +
          std::string(functor) + "<float, (int)4>, float, float>(T1, T2, T3...)",
      "multi_tensor_apply_kernel");
  return Shaped(std::move(kernel), Blocks(parameters, 65'536), 512, 40, BytesNs(parameters * 16));
}

KernelSpec FusedOptimizerKernel(int64_t parameters) {
  KernelSpec kernel = Named(
      "void "
      "at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
      "FusedOptimizerTensorListMetadata<(int)4>, "
      "at::native::<unnamed>::FusedAdamMathFunctor<float, "
      "(int)4>, float, float>(T1, T2, T3...)",
      "multi_tensor_apply_kernel");
  return Shaped(std::move(kernel), Blocks(parameters, 65'536), 512, 56, BytesNs(parameters * 28));
}

KernelSpec FusedChainKernel(int64_t operators, int64_t elements, int operands,
                            Precision precision) {
  const std::string name = "triton_poi_fused_" + std::to_string(operators);
  KernelSpec kernel = Named(name, name);
  return Shaped(std::move(kernel), Blocks(elements, 1'024), 128, 28,
                BytesNs(elements * ElementSize(precision) * operands));
}

KernelSpec NonFiniteCheckKernel(int64_t parameters) {
  KernelSpec kernel = Named(
      "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
      "TensorListMetadata<(int)1>, at::native::<unnamed>::UnaryOpFunctor<float, (int)1, "
      "(int)1, (int)0>, _amp_foreach_non_finite_check_and_unscale_cuda_>(T1, T2, T3...)",
      "multi_tensor_apply_kernel");
  return Shaped(std::move(kernel), Blocks(parameters, 65'536), 512, 30, BytesNs(parameters * 8));
}

KernelSpec ConvolutionKernel(int64_t pixels, int64_t in, int64_t out, Precision precision) {
  const bool half = precision == Precision::kAmp;
  const std::string name =
      half ? "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
             "stage4_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn"
           : "implicit_convolve_sgemm";
  KernelSpec kernel =
      Named(half ? name
                 : "void implicit_convolve_sgemm<float, float, (int)128, (int)5, (int)5, "
                   "(int)3, (int)3, (int)3, (int)1, (bool)1, (bool)0, (bool)1>(int, int, "
                   "int, const T1 *, int, T2 *, const T1 *)",
            name);
  const int64_t flop = 2 * pixels * in * out * 9;
  kernel = Shaped(std::move(kernel), Blocks(pixels * out, 16'384), 256, 128,
                  flop / (half ? kHalfFlopPerNs : kFp32FlopPerNs) + 3'600);
  kernel.api = half ? "cuLaunchKernelEx" : "cudaLaunchKernel_v7000";
  kernel.dynamic_shared = half ? 65'536 : 0;
  return kernel;
}

KernelSpec BatchNormKernel(int64_t elements) {
  KernelSpec kernel = Named(
      "void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, (bool)1, "
      "(int)1>(T2, T2, cudnnTensorStruct, const T1 *, cudnnTensorStruct, T1 "
      "*, cudnnTensorStruct, const T2 *, const T2 *, const T2 *, const T2 *, "
      "T2)",
      "bn_fw_inf_1C11_kernel_NCHW");
  return Shaped(std::move(kernel), Blocks(elements, 2'048), 256, 30, BytesNs(elements * 8));
}

KernelSpec PoolKernel(int64_t elements) {
  KernelSpec kernel = Named(
      "void at::native::<unnamed>::max_pool_forward_nchw<float, int>(T2, const T1 *, int, "
      "int, int, int, int, int, int, int, int, int, int, int, int, int, T1 *, long *)",
      "max_pool_forward_nchw");
  return Shaped(std::move(kernel), Blocks(elements, 1'024), 256, 34, BytesNs(elements * 10));
}

KernelSpec AllReduceKernel(int64_t ranks) {
  KernelSpec kernel = Named(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  kernel.api = "cuLaunchKernelEx";
  kernel = Shaped(std::move(kernel), static_cast<int32_t>(std::min<int64_t>(24, 8 * ranks)), 512,
                  96, 20'000);
  kernel.static_shared = 21'568;
  kernel.dynamic_shared = 82'240;
  kernel.sm_permille = 150;
  return kernel;
}

KernelSpec PlainKernel(std::string_view name, std::string_view arguments, int64_t blocks,
                       int64_t duration_ns) {
  KernelSpec kernel =
      Named(std::string(name) + "(" + std::string(arguments) + ")", std::string(name));
  kernel.mangled = "_Z" + std::to_string(name.size()) + std::string(name) + "v";
  return Shaped(std::move(kernel), static_cast<int32_t>(blocks), 256, 40, duration_ns);
}

}  // namespace xsp::samples
