#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/analyses/shapes.h"
#include "hierarchy/hardware/gpu_specs.h"
#include "sim/models/matrix_model.h"
#include "sim/models/memory_model.h"
#include "sim/models/work_facts.h"

namespace xsp {

// Peaks that a user states; they go before the trace and the table.
struct PeakOverrides {
  std::optional<double> fp32, tf32, fp16, bf16, fp8, bytes_per_s;

  bool empty() const { return !fp32 && !tf32 && !fp16 && !bf16 && !fp8 && !bytes_per_s; }
};

// What a part of a run tells of its machine and its program as a whole.
struct MachineFacts {
  GpuPeaks gpu;  // Of the first device that works.
  MemoryMachine memory;
  MatrixMachine matrix;

  // Host costs: means over calls that are not cold, without what they waited.
  DurationNs launch_own = 0;  // A kernel launch.
  // A whole operation of one kernel, from the end of the call before: of all, and by phase (the
  // backward pass runs on another thread, by other code); 0 where a phase has too few.
  DurationNs operation_host = 0;
  std::array<DurationNs, kPhaseCount> operation_host_in = {};
  DurationNs copy_own = 0;  // An asynchronous copy; a launch where there is none.

  // Elements of the model's weights, per step; 0 where nothing tells.
  double parameters = 0;  // All that the optimizer updates,
  std::string parameters_source;
  double matrix_weights = 0;  // and those of matrix products: results of their gradients' products.

  DurationNs OperationHost(Phase phase) const {
    const DurationNs in_phase = operation_host_in[static_cast<std::size_t>(phase)];
    return in_phase > 0 ? in_phase : operation_host;
  }

  bool has_backward = false;
  bool has_optimizer = false;

  // Kernels whose grid follows the number of elements, by the row of their
  // name.
  std::unordered_map<std::uint32_t, Elementwise> elementwise;
};

// `step_count`: how many steps the part holds; 1 for a span.
MachineFacts FindMachine(const TaskGraph& graph, const WorkFacts& facts, std::uint32_t step_count,
                         const PeakOverrides& overrides = {});

// What is known of a matrix kernel: by its name, its grid, and the recorded
// sizes of its operation.
MatrixWork MatrixWorkOf(const TaskGraph& graph, const WorkFacts& facts, TaskId op);

// The recorded sizes of the operands of the operation around it; empty where
// there are none.
OperandSizes RecordedOperands(const TaskGraph& graph, const WorkFacts& facts, TaskId op);
double ElementCount(const std::vector<std::uint64_t>& sizes);

// Elements that an elementwise kernel handles, by its recorded sizes or its
// grid; 0: unknown.
double ElementsOf(const TaskGraph& graph, const WorkFacts& facts, const MachineFacts& machine,
                  TaskId op);

// Whether the kernel is the product that makes the gradient of a weight.
bool MakesWeightGradient(const WorkFacts& facts, TaskId op);

}  // namespace xsp
