#pragma once

#include <cstdint>
#include <string>

#include "graph/task_graph.h"
#include "graph/task_names.h"

namespace xsp {

// How people call the tasks of a graph: kernels by their short names.
class TaskWords {
 public:
  explicit TaskWords(const TaskGraph& graph)
      : graph_(graph), names_(graph), full_names_(graph, NameForm::kFull) {}

  // See TaskNames::Of.
  std::string Name(TaskId task) const { return std::string(names_.Of(task)); }
  // For scripts: with what it is, and kernels in full: "kernel void gemm<float>(...) on stream 7".
  std::string Described(TaskId task) const { return full_names_.WithPlace(task); }
  // "gemm<float> on stream 7", "cudaLaunchKernel on thread 4711"; with the device where there are
  // several.
  std::string NameAndPlace(TaskId task) const;
  // "thread 4711", "device 0 stream 7"; threads are counted before streams.
  std::string OfTrack(std::uint32_t track) const;
  // The row of the trace behind a task, for a reader who wants to look it up: "kernel, correlation
  // 4711, begins at 123456 ns".
  std::string Row(TaskId task) const;

 private:
  const TaskGraph& graph_;
  const TaskNames names_;
  const TaskNames full_names_;
};

// The number by which people know a device of the graph.
std::uint32_t DeviceNumber(const TaskGraph& graph, std::uint32_t device);

}  // namespace xsp
