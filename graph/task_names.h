#pragma once

#include <string>
#include <string_view>

#include "graph/task_graph.h"
#include "model/names/kernel_names.h"

namespace xsp {

// What the tasks of a graph are called, in the one place that says so: whoever shows, groups or
// selects tasks by name asks here. What an edit put in goes by its label.
class TaskNames {
 public:
  // `kernels`: how much of a kernel's name is shown.
  explicit TaskNames(const TaskGraph& graph, NameForm kernels = NameForm::kShort)
      : graph_(graph), kernels_(*graph.trace, kernels) {}

  // "gemm<float>", "copy htod", "memset", "CUDA graph", "cudaLaunchKernel", a range's name.
  // Valid as long as the graph, its trace and this are.
  std::string_view Of(TaskId task) const;
  // "thread 4711", "stream 7"; what an edit put in, and copies, have their label behind: "stream
  // prefetch", "thread 4711 copy 1".
  std::string OfLane(TaskId task) const;
  std::string OfThread(std::uint32_t thread) const;
  std::string OfStream(std::uint32_t stream) const;
  // With what it is and where: "kernel gemm<float> on stream 7", "cudaLaunchKernel on thread 4711".
  std::string WithPlace(TaskId task) const;

  const TaskGraph& graph() const { return graph_; }

 private:
  std::string Label(LabelId label) const;  // " copy 1"; empty for none.

  const TaskGraph& graph_;
  const KernelLabels kernels_;
};

}  // namespace xsp
