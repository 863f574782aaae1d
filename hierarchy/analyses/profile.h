#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hierarchy/analyses/kernel_figures.h"
#include "hierarchy/analyses/roofline.h"
#include "hierarchy/layers.h"
#include "hierarchy/steps/step_set.h"

namespace xsp {

// One layer of the model; or, with is_layer false, what runs in a phase outside of its layers.
// All figures are means per step where the profile is one of steps.
struct LayerRow {
  std::string path;              // "forward/layer 1".
  std::uint32_t occurrence = 0;  // The n-th of that path in a step, from 0.
  std::uint32_t index = 0;       // Its place among the layers, from 1; 0 for what is no layer.
  bool is_layer = true;
  std::string type;
  std::string shape;  // Recorded sizes of its first operation; empty where there are none.
  double latency_ns = 0;
  double host_ns = 0;
  double gpu_ns = 0;     // The part of the latency in which its kernels ran.
  double copies_ns = 0;  // The part in which only its copies ran.
  std::optional<double> allocated_bytes;
  GpuFigures gpu;

  double NonGpuNs() const { return latency_ns - gpu_ns; }
};

// One kernel call of a layer.
struct KernelRow {
  std::string name;     // In full, as in the trace.
  std::string mangled;  // The symbol; empty where the trace has none.
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t occurrence = 0;  // The n-th such call of its layer, from 0.
  std::size_t layer = 0;         // A row of the layers.
  GpuFigures gpu;
};

// What one process did on one device.
struct RankProfile {
  std::string name;  // "python [4711] GPU 0".
  GpuPeaks peaks;
  double latency_ns = 0;      // Of a step; of the GPU span where there are no steps.
  double kernel_busy_ns = 0;  // Union of kernels and whole graphs.
  GpuFigures gpu;             // All kernels.
  std::optional<double> allocated_bytes;
  std::vector<LayerRow> layers;    // In the order in which they begin.
  std::vector<KernelRow> kernels;  // By layer, then in the order of their launches.

  // The share of the latency in which kernels ran.
  double GpuShare() const { return latency_ns > 0 ? kernel_busy_ns / latency_ns : 0; }
};

// XSP's view of a run: the model, its layers, their kernels.
struct Profile {
  bool is_step = false;  // Means per step; else of the GPU span as a whole.
  std::uint32_t steps = 1;
  Level layer_level = Level::kTrace;  // What counts as a layer: kLayer, kOp; kTrace: nothing does.
  std::uint64_t whole_graphs = 0;     // Graph launches that were traced as one piece.
  bool has_memory = false;            // Allocations were traced.
  bool has_counters = false;          // Hardware counters were given...
  CounterJoin join;                   // ...and for how many kernels they served.
  std::vector<RankProfile> ranks;
  std::string format;  // Of the trace (TraceInfo): says how to record what it lacks.
};

// What to measure, and with what.
struct ProfileOptions {
  StepSet steps;
  std::span<const KernelCounters> counters;
  // In place of what the trace says of the GPU.
  std::optional<double> peak_flops;
  std::optional<double> peak_bandwidth;
};

Profile MeasureProfile(const Hierarchy& hierarchy, const ProfileOptions& options);

}  // namespace xsp
