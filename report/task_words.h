#pragma once

#include <cstdint>
#include <string>

#include "graph/task_graph.h"
#include "hierarchy/kernel_names.h"

namespace xsp {

// How people call the tasks of a graph: kernels by their short names.
class TaskWords {
 public:
  explicit TaskWords(const TaskGraph& graph)
      : graph_(graph), kernels_(*graph.trace, NameForm::kShort) {}

  // "gemm<float>", "copy htod", "memset", "graph", "cudaLaunchKernel", a range's name.
  std::string Name(TaskId task) const;
  // "gemm<float> on stream 7", "cudaLaunchKernel on thread 4711"; with the device where there are
  // several.
  std::string NameAndPlace(TaskId task) const;
  // "thread 4711", "device 0 stream 7"; threads are counted before streams. What an edit put in has
  // its label behind: "stream prefetch", "thread 4711 copy 1".
  std::string OfTrack(std::uint32_t track) const;
  // The row of the trace behind a task, for a reader who wants to look it up: "kernel, correlation
  // 4711, begins at 123456 ns".
  std::string Row(TaskId task) const;

 private:
  std::string Label(LabelId label) const;  // " copy 1"; empty for none.

  const TaskGraph& graph_;
  const KernelLabels kernels_;
};

// The number by which people know a device of the graph.
std::uint32_t DeviceNumber(const TaskGraph& graph, std::uint32_t device);

}  // namespace xsp
