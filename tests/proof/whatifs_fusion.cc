// Fusion of more than elementwise work: norms and softmax, as kernels of their own or written out,
// with what stands before and behind them; copies; sums that end a chain.
#include <vector>

#include "sample_traces/kernels.h"
#include "tests/proof/one_thread.h"
#include "tests/proof/whatif_options.h"

namespace xsp::proof {
namespace {

using samples::KernelSpec;
using samples::Precision;
using samples::Scenario;

constexpr int64_t kRows = 8'192;
constexpr int64_t kWidth = 2'048;
constexpr int64_t kElements = kRows * kWidth;

KernelSpec Pointwise(std::string_view functor, int operands, int64_t elements = kElements) {
  return samples::ElementwiseKernel(functor, elements, operands, Precision::kFp32);
}
// What a compiler makes of a chain: it moves so many tensors of all elements.
KernelSpec Fused(int operators, int operands) {
  return samples::FusedChainKernel(operators, kElements, operands, Precision::kFp32);
}
KernelSpec RowSum(std::string_view functor) { return samples::ReduceKernel(functor, kElements); }
// Across rows: the gradient of a bias.
KernelSpec ColumnSum() {
  KernelSpec kernel = RowSum("sum_functor");
  kernel.demangled.replace(kernel.demangled.find("(int)512, (int)1"), 16, "(int)128, (int)4");
  kernel.grid = {16, 32, 1};
  return kernel;
}
KernelSpec Product() { return samples::GemmKernel(kRows, kWidth, 128, "tn", Precision::kFp32); }

// Layers of a product and a chain behind it, on one stream, the host ahead of it.
Scenario Layers(const std::vector<KernelSpec>& chain) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t product = thread.program().AddKernel(Product());
  std::vector<int32_t> kernels;
  for (const KernelSpec& kernel : chain) kernels.push_back(thread.program().AddKernel(kernel));
  script.Loop(16);
  script.Push("step %0", 0, 1);
  for (int layer = 0; layer < 4; ++layer) {
    script.Work(8'000);
    script.Launch(product, thread.default_stream());
    for (const int32_t kernel : kernels) {
      script.Work(8'000);
      script.Launch(kernel, thread.default_stream());
    }
  }
  script.Work(8'000);
  script.Launch(product, thread.default_stream());
  script.StreamSync(thread.default_stream());
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

WhatIfCase Case(std::string name, std::string program, const std::vector<KernelSpec>& before,
                const std::vector<KernelSpec>& after) {
  return {"fuse: " + std::move(name), std::move(program), "--fuse",
          [before] { return Layers(before); }, [after] { return Layers(after); }};
}

}  // namespace

std::vector<WhatIfCase> FusionWhatIfs() {
  const KernelSpec add = Pointwise("CUDAFunctor_add", 3);
  const KernelSpec gelu = Pointwise("GeluCUDAKernelImpl", 2);
  const KernelSpec scale = Pointwise("AUnaryFunctor", 2);
  const KernelSpec square = Pointwise("pow_tensor_scalar_kernel_impl", 2);
  const KernelSpec exp = Pointwise("exp_kernel_cuda", 2);
  const KernelSpec norm = samples::LayerNormKernel(kRows, kWidth, false);
  const KernelSpec softmax = samples::SoftmaxKernel(kRows, kWidth, false);
  const KernelSpec row = Pointwise("rsqrt_kernel_cuda", 2, kRows);
  const KernelSpec column = ColumnSum();
  // Computes five times as long as it takes to read and write.
  KernelSpec functions = Pointwise("erfinv_kernel_cuda", 2);
  functions.duration_ns *= 5;
  KernelSpec both = Fused(2, 2);
  both.duration_ns = 2 * functions.duration_ns;
  return {
      // The sum is read by the next layer, too: both tensors are written.
      Case("a residual sum and its norm", "sum of two tensors, layer norm", {add, norm},
           {Fused(2, 4)}),
      Case("scores, softmax, dropout", "scale, softmax, scale", {scale, softmax, scale},
           {Fused(3, 2)}),
      Case("a softmax written out", "max, subtract, exp, sum, divide",
           {RowSum("MaxOps"), scale, exp, RowSum("sum_functor"), scale}, {Fused(5, 2)}),
      Case("a norm written out", "square, mean of rows, root, two products",
           {square, RowSum("MeanOps"), row, scale, scale}, {Fused(5, 2)}),
      Case("a residual sum and a norm written out", "sum, square, mean of rows, root, two products",
           {add, square, RowSum("MeanOps"), row, scale, scale}, {Fused(6, 4)}),
      Case("functions that compute", "two functions that take far longer than their bytes",
           {add, Product(), functions, functions}, {add, Product(), both}),
      // A sum across rows ends the chain, and what follows begins another one.
      Case("a sum across rows between", "two activations, sum across rows, two activations",
           {gelu, gelu, column, gelu, gelu},
           {samples::FusedChainKernel(3, kElements, 1, Precision::kFp32), Fused(2, 2)}),
  };
}

}  // namespace xsp::proof
