#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hierarchy/hardware/gpu_specs.h"

namespace xsp {

// What the name of an elementwise kernel tells of its tensors.
struct Elementwise {
  // Elements that a thread handles: 0 where the kernel's kind does not fix it
  // (PyTorch's vectorized kernels handle 4 in older versions, 8 in newer ones).
  std::uint32_t per_thread = 0;
  std::uint32_t operands = 0;  // Tensors read and written; 0: the name does not tell.
};

// Nothing for kernels that are not of a kind whose grid follows the number of
// elements.
std::optional<Elementwise> ElementwiseOf(std::string_view kernel_name);

// One elementwise kernel that ran.
struct ElementwiseSample {
  Elementwise kind;
  double threads = 0;  // Of all blocks.
  double ns = 0;
  double bytes_per_element = 4;
};

// What a trace tells of the memory of its GPU.
struct MemoryMachine {
  double bytes_per_s = 0;   // That this trace's kernels reach.
  bool calibrated = false;  // From the trace's own kernels; else a usual share of the data sheet.
  std::uint32_t per_thread = 4;  // Elements a thread of a vectorized kernel handles.
  double fixed_ns = 0;           // What a kernel takes that does next to nothing.

  double ElementsOf(const Elementwise& kind, double threads) const;
  // To stream so many bytes once.
  double StreamNs(double bytes) const;
};

// Reads bandwidth off the large kernels among `samples`: those that move far more than the cache
// holds. Nothing can be faster than the data sheet says, which settles how many elements a thread
// handles.
MemoryMachine CalibrateMemory(const std::vector<ElementwiseSample>& samples, const GpuPeaks& peaks,
                              double l2_bytes, double fixed_ns);

// The time below which only the rarest kernels of a trace are: what a launch costs the device even
// where there is nothing to do. 0 for no kernels. Sorts.
double FixedKernelNs(std::vector<double>& kernel_ns);

}  // namespace xsp
