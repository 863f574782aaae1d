#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/hardware/gpu_specs.h"

namespace xsp {

// Where a figure comes from. Bits: figures of several kernels may have several sources.
enum FigureSource : std::uint8_t {
  kFromNothing = 0,
  kFromCounters = 1,  // Measured by Nsight Compute.
  kFromShapes = 2,    // Computed from the operands' recorded sizes.
  kFromTile = 4,      // Estimated from a kernel's tile and grid, and a recorded inner size.
  kFromTheory = 8,    // Theoretical occupancy: what registers and shared memory allow.
};
// "ncu", "shapes", "tile", "theoretical", joined by '+'; empty for none.
std::string SourceWords(std::uint8_t sources);

enum class Bound : std::uint8_t { kMemory, kCompute };
std::string_view NameOf(Bound bound);  // "memory", "compute".

// What is known of one kernel call.
struct CallFigures {
  double latency_ns = 0;
  std::optional<double> flops;
  std::uint8_t flops_source = kFromNothing;
  std::optional<double> read_bytes;  // Counts only together with write_bytes.
  std::optional<double> write_bytes;
  std::uint8_t bytes_source = kFromNothing;
  std::optional<double> achieved_occupancy;
  std::optional<double> theoretical_occupancy;
};

// What kernels did: of one call, or summed up over calls. What is known of only some of the calls
// is summed over those, and `..._latency_ns` tells how much time they stand for.
struct GpuFigures {
  double count = 0;       // Calls; per step where it is a mean over steps.
  double latency_ns = 0;  // Sum of durations.

  double flops = 0;
  double flops_latency_ns = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double bytes_latency_ns = 0;
  double intensity_flops = 0;  // Of calls whose flops and bytes are both known.
  double intensity_bytes = 0;
  double intensity_latency_ns = 0;
  double achieved_time_ns = 0;  // Sum of achieved occupancy times duration.
  double achieved_latency_ns = 0;
  double theoretical_time_ns = 0;
  double theoretical_latency_ns = 0;
  std::uint8_t flops_source = kFromNothing;
  std::uint8_t bytes_source = kFromNothing;

  static GpuFigures OfCall(const CallFigures& call);

  void Add(const GpuFigures& other);
  // All sums divided, as for a mean over steps.
  void DivideBy(double divisor);
  // Several runs as one: each sum by `summarize`.
  static GpuFigures Combine(const std::vector<GpuFigures>& runs,
                            const std::function<double(std::vector<double>)>& summarize);

  std::optional<double> Flops() const;
  std::optional<double> ReadBytes() const;
  std::optional<double> WriteBytes() const;
  // Weighted by duration. The achieved one of the calls where it is known; where it is of none, the
  // theoretical one. The two are never mixed.
  std::optional<double> Occupancy() const;
  std::uint8_t OccupancySource() const;
  std::optional<double> Intensity() const;  // Flop per byte; 0 where nothing is moved.
  std::optional<double> FlopsPerSecond() const;
  std::optional<Bound> BoundBy(const GpuPeaks& peaks) const;
  // The share of the latency for which flops are known.
  double FlopsCoverage() const { return latency_ns > 0 ? flops_latency_ns / latency_ns : 0; }
};

}  // namespace xsp
