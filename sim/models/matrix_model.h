#pragma once

#include <cstdint>
#include <optional>

#include "hierarchy/hardware/gemm_shape.h"
#include "hierarchy/hardware/gpu_specs.h"
#include "model/names/kernel_class.h"

namespace xsp {

// A matrix product or convolution that ran, as far as a trace tells. Times in nanoseconds.
struct MatrixWork {
  double ns = 0;  // As measured.
  Precision precision = Precision::kUnknown;
  bool tensor_cores = false;
  bool winograd = false;           // Does fewer multiplications than its flop count says.
  std::optional<double> flops;     // From recorded shapes.
  std::optional<double> elements;  // Read and written at least, from recorded shapes.
  std::optional<GemmShape> shape;  // From the tile in its name and its grid.
  std::uint64_t blocks = 0;        // Of its grid; 0: unknown.
};

// What a trace tells of the machine that ran them.
struct MatrixMachine {
  GpuPeaks peaks;
  // What a kernel takes that does next to nothing: launch, first loads, last stores.
  double fixed_ns = 0;
  // Memory bandwidth that this trace's kernels reach, bytes per second.
  std::optional<double> bytes_per_s;
  // The best rate that a single-precision matrix kernel of this trace reaches, flop per second. Far
  // below the peak where the GPU runs at a low clock; tensor cores then run at that clock, too.
  std::optional<double> best_rate;
};

// A time that is not measured: the likely one, and how fast and how slow it may well be.
struct TimeEstimate {
  double ns = 0;
  double fast_ns = 0;
  double slow_ns = 0;
};

// What `work` takes when it multiplies numbers of format `to` on tensor cores. Nothing where that
// would not change it: it does so already, in that format or in a smaller one; it is no fp32 or
// TF32 work; or the GPU has no tensor cores for the format.
//
// The part of the time in which the kernel is bound by its multiplications shrinks by the ratio of
// the two peaks times the share of it that such kernels reach; the part in which it waits for
// memory shrinks with the bytes; the fixed part stays.
std::optional<TimeEstimate> OnTensorCores(const MatrixWork& work, const MatrixMachine& machine,
                                          Precision to);

// Of a number in memory; 4 where the format is not known.
double BytesPerElement(Precision precision);

// The share of a GPU's peak that large matrix products reach, by format and generation.
double ReachedShare(const GpuPeaks& peaks, Precision precision, bool tensor_cores);

// How much of the multiprocessors' time a result of m x n in `slices` parts fills, when it is cut
// into the tile that fits best: the last wave of blocks is seldom full. In (0, 1].
double TensorWaveEfficiency(std::uint64_t m, std::uint64_t n, std::uint32_t slices,
                            std::uint32_t sm_count);

}  // namespace xsp
