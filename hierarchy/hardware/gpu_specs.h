#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/entities.h"
#include "model/names/kernel_class.h"

namespace xsp {

// What one generation of multiprocessors does per cycle: dense flop (a multiply-add is two), with
// accumulation in single precision. 0: it cannot.
struct SmRates {
  std::uint32_t capability;  // Compute capability, major * 10 + minor; AMD's: 1000 + gfx number.
  std::uint32_t fp32;        // Without tensor cores.
  std::uint32_t fp16;        // Without tensor cores.
  std::uint32_t tensor_fp16;
  std::uint32_t tensor_bf16;
  std::uint32_t tensor_tf32;
  std::uint32_t tensor_fp8;
  std::uint32_t tensor_int8;
};

// A GPU as it is sold. Rates are what its data sheet promises; what a trace says of its own GPU
// (multiprocessors, clock, bandwidth, memory) goes before.
struct GpuSpec {
  std::string_view name;   // "A100 80GB SXM"; the words of the model first.
  std::string_view model;  // Words that a trace's name must hold, one after the other: "3070 ti".
  std::string_view hint;   // A word that tells variants of a model apart: "sxm"; may be empty.
  std::uint32_t capability;
  std::uint32_t sm_count;
  std::uint32_t clock_mhz;         // Boost.
  std::uint32_t tensor_clock_mhz;  // At which tensor rates are stated; 0: the same.
  bool halved;                     // Tensor cores that add in fp32 run at half rate (GeForce).
  std::uint32_t memory_gb;
  std::uint32_t memory_gb_per_s;
  std::uint32_t link_gb_per_s;  // NVLink or its kin, one direction; 0: none.
  std::uint32_t pcie_gb_per_s;  // To the host, one direction.
};

// All GPUs that are known by name.
std::span<const GpuSpec> KnownGpus();

// What a GPU can do at most; absent where nothing is known. Flop per second, dense.
struct GpuPeaks {
  std::string name;
  std::uint32_t capability = 0;  // As in SmRates; 0: unknown.
  std::uint32_t sm_count = 0;    // 0: unknown.
  std::optional<double> clock_hz;
  std::optional<double> fp32;  // Without tensor cores.
  std::optional<double> fp16;  // The best there is: on tensor cores, else without.
  std::optional<double> bf16;
  std::optional<double> tf32;
  std::optional<double> fp8;
  std::optional<double> int8;
  std::optional<double> bytes_per_s;       // Device memory.
  std::optional<double> memory_bytes;      // Device memory.
  std::optional<double> link_bytes_per_s;  // To other GPUs, one direction.
  std::optional<double> host_bytes_per_s;  // To the host, one direction.
  bool has_tensor_cores = false;
  bool from_table = false;  // Clock, bandwidth or memory come from the table, not from the trace.

  // Nothing for what is no floating-point format with a rate of its own.
  std::optional<double> Of(Precision precision) const;
  // Flop per byte at which single precision and memory meet: what does less is bound by memory.
  std::optional<double> IdealIntensity() const;
};

// Of a trace's own GPU. `name` is what the trace calls it; may be empty.
GpuPeaks PeaksOf(const Gpu& gpu, std::string_view name);

// Of a GPU that is known by name only: "H100", "rtx 4090". Nothing if the table has none such.
std::optional<GpuPeaks> PeaksOfNamed(std::string_view name);

// The row that fits best: of those whose model is in the name the one with the longest model, then
// one whose hint is there, then the nearest in multiprocessors, memory and bandwidth. Null for
// none.
const GpuSpec* FindGpuSpec(std::string_view name, const Gpu& gpu = {});

}  // namespace xsp
