// Kernels with names, shapes and durations as an A100-like GPU would show them.
#pragma once

#include <cstdint>
#include <string_view>

#include "sample_traces/program.h"

namespace xsp::samples {

enum class Precision : uint8_t { kFp32, kTf32, kAmp };  // TF32: products only.

// C[m,n] = A[m,k] B[k,n]; `layout` is tn, nn or nt.
KernelSpec GemmKernel(int64_t m, int64_t n, int64_t k, std::string_view layout,
                      Precision precision);
// One value per element; `functor` as it stands in the template, `operands` tensors moved.
KernelSpec ElementwiseKernel(std::string_view functor, int64_t elements, int operands,
                             Precision precision);
KernelSpec CastKernel(int64_t elements, bool to_half);
KernelSpec LayerNormKernel(int64_t rows, int64_t width, bool backward);
KernelSpec ReduceKernel(std::string_view functor, int64_t elements);
KernelSpec SoftmaxKernel(int64_t rows, int64_t width, bool backward);
KernelSpec AttentionKernel(int64_t batch, int64_t heads, int64_t sequence, int64_t head_size,
                           bool backward, Precision precision);
KernelSpec EmbeddingKernel(int64_t tokens, int64_t width, bool backward);
KernelSpec LossKernel(int64_t rows, bool backward);
// One pass of a fused optimizer over `parameters` values.
KernelSpec OptimizerKernel(std::string_view functor, int64_t parameters);
// The whole update in one pass: reads four values for each parameter, writes
// three.
KernelSpec FusedOptimizerKernel(int64_t parameters);
// A chain of elementwise operators on the same tensor, made by a compiler; `operands` tensors
// moved.
KernelSpec FusedChainKernel(int64_t operators, int64_t elements, int operands, Precision precision);
KernelSpec NonFiniteCheckKernel(int64_t parameters);
KernelSpec ConvolutionKernel(int64_t pixels, int64_t in, int64_t out, Precision precision);
KernelSpec BatchNormKernel(int64_t elements);
KernelSpec PoolKernel(int64_t elements);
KernelSpec AllReduceKernel(int64_t ranks);
// A kernel of a program that is no framework: `name` is a plain C++ function.
KernelSpec PlainKernel(std::string_view name, std::string_view arguments, int64_t blocks,
                       int64_t duration_ns);

}  // namespace xsp::samples
