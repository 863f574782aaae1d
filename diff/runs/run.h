#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/runs/batches.h"
#include "hierarchy/level.h"
#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_class.h"
#include "model/time.h"

namespace xsp {

// What time on the critical path was spent on.
enum class CostKind : std::uint8_t {
  kDevice = 0,     // Kernels, memsets, whole graphs.
  kCommunication,  // Collectives: what is on the path is exposed.
  kCopy,
  kLaunch,    // Launching calls, the way to the device, a full launch queue.
  kSync,      // From the end of awaited work to the return of the call that waited.
  kHost,      // Other calls, untraced host time, data loading.
  kOneTime,   // What calls do only once: first launches, loading code, growing memory.
  kIdle,      // Between operations of a stream, and between threads.
  kResidual,  // What the replay is short of the measured time: no place of its own.
};
inline constexpr std::size_t kCostKindCount = static_cast<std::size_t>(CostKind::kResidual) + 1;
std::string_view NameOf(CostKind kind);  // "device", "communication", ..., "replay_residual".

// One-time costs by reason, in the order of OneTimeReason.
using OneTimeSums = std::array<DurationNs, kOneTimeReasonCount>;

// The grid and block with which a kernel is launched most often.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};

  bool known() const { return grid[0] != 0; }
  bool operator==(const LaunchShape&) const = default;
};

// A place of the program: the unit itself (row 0), a rank, a range, a CUDA call by name, or device
// work by name. Calls and device work have no places below them.
struct RunPlace {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t parent = kNone;
  Level level = Level::kStep;
  std::string name;  // As in the trace; kernels in full. Ranks: "rank 0", whatever their process.
  // Device work:
  bool is_kernel = false;  // Else a copy, a memset, a graph.
  KernelClass kernel_class = KernelClass::kOther;
  Precision precision = Precision::kUnknown;
  LaunchShape shape;

  bool IsDeviceWork() const { return level == Level::kDevice; }
  bool IsCall() const { return level == Level::kApi; }
  bool IsRange() const { return !IsDeviceWork() && !IsCall(); }
};

// What happened at a place in one sample; samples without anything have none.
struct PlaceSample {
  std::uint32_t place = 0;
  std::uint32_t step = 0;     // The sample, from 0.
  DurationNs device_sum = 0;  // Of the work there and below.
  std::uint32_t count = 0;    // Occurrences: of a range, a call, an operation.
};

// Time on the critical path in one sample, by place and kind.
struct PathCost {
  std::uint32_t place = 0;
  CostKind kind = CostKind::kDevice;
  std::uint32_t step = 0;
  DurationNs ns = 0;
};

// How long ranges of one name were open in one sample, summed.
struct RangeSample {
  std::uint32_t name = 0;  // Row of Run::range_names.
  std::uint32_t step = 0;  // The sample, from 0.
  DurationNs ns = 0;
};

// Under what circumstances a run was recorded.
struct RunFactsheet {
  std::vector<std::string> gpus;      // Names of those that worked, sorted; one for each device.
  std::vector<std::string> cards;     // Their ids, sorted; without unknown ones.
  std::vector<std::uint64_t> clocks;  // Their core clocks in Hz, sorted; without unknown ones.
  std::optional<std::string> driver;  // Versions.
  std::optional<std::string> cuda;
  std::optional<std::string> cpu;  // Its name,
  std::optional<std::string> os;   // and the system's.
  std::optional<std::string> recorder;
  std::string format;            // "nsys-sqlite", "kineto".
  std::uint32_t devices = 0;     // As processes see them: two that share a GPU count twice.
  std::uint32_t processes = 0;   // With device work.
  bool partial = false;          // Salvaged from a damaged file.
  bool has_calls = false;        // CUDA calls were recorded,
  bool has_kernels = false;      // and kernels, or graphs of them as one piece.
  bool whole_graphs = false;     // CUDA graphs were traced as one piece.
  double in_ranges = 0;          // Share of device time launched within ranges of the program;
  bool ranges_left_out = false;  // they were taken away, as other runs have none.
  // The sizes of the inputs of the first operator of a step that works on a batch
  // (diff/runs/input_sizes.h).
  std::string input_shape;
};

// What a comparison keeps of one trace: everything by unit and kept step, nothing of the trace
// itself. All lists of figures have one entry per sample: a kept step, or as many of them as make
// up a period (a span: one). Entries are sums over the steps of their sample.
struct Run {
  std::string name;  // How the user calls the file.
  RunFactsheet facts;

  bool is_step = false;  // Else the unit is the GPU span.
  StepSource step_source = StepSource::kNone;
  CountedSteps steps;        // Where the unit is a step: those that are samples, and the others.
  std::uint32_t period = 1;  // Steps of a sample.
  std::vector<std::string> kinds;   // With enough steps to be compared, by their time.
  std::vector<BatchCount> batches;  // Of `steps`, where their framework tells.

  std::vector<DurationNs> unit_ns;      // The measured time.
  std::vector<DurationNs> residual_ns;  // What the replay is short of it.
  std::vector<DurationNs> one_time_ns;  // Of it, one-time costs while no device worked;
  OneTimeSums one_time_by = {};         // these of all samples, by reason.
  std::vector<DurationNs> busy_ns;      // Union of device work; over devices: the sum.
  std::vector<std::uint32_t> kernels;
  std::vector<std::uint32_t> launches;       // Calls that issued device work.
  std::vector<std::uint32_t> syncs;          // Calls that wait for the device.
  std::optional<std::uint64_t> peak_memory;  // Bytes; none where allocations were not traced.

  std::optional<DurationNs> span_ns;  // The GPU span, whatever the unit is;
  std::optional<DurationNs> wall_ns;  // and the program's, from its first to its last event.

  // One-time costs of the whole program while no device worked (hierarchy/steps/one_time_costs.h);
  // none where calls were not recorded. `one_time_ns` is what the unit has of them.
  std::optional<DurationNs> program_one_time_ns;

  std::vector<std::string> range_names;  // Of NVTX and the framework, sorted.
  std::vector<RangeSample> ranges;       // By name.

  std::vector<RunPlace> places;      // Parents first, else in the order of first appearance.
  std::vector<PlaceSample> samples;  // By place, then step.
  std::vector<PathCost> path;        // By place, kind, then step.
};

}  // namespace xsp
