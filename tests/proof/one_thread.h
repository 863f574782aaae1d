#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"
#include "tests/proof/edit.h"

namespace xsp::proof {

// Puts a process with one thread and one context into a scenario, and writes what it does.
class OneThread {
 public:
  explicit OneThread(samples::Scenario& scenario, int32_t device = 0);

  samples::Program& program() { return program_; }
  samples::Script& script() { return script_; }
  int32_t process() const { return process_; }
  int32_t context() const { return context_; }
  int32_t default_stream() const { return program_.DefaultStream(context_); }

  // A kernel that takes `us` microseconds alone; `blocks` say how much of the GPU it fills.
  int32_t Kernel(std::string_view name, int64_t us, int64_t blocks = 432);
  // Another stream; non-blocking ones do not order themselves against the default stream.
  int32_t Stream(bool blocking = false) { return program_.AddStream(context_, blocking); }

 private:
  samples::Program& program_;
  int32_t process_;
  int32_t context_;
  samples::Script script_;
};

// Changes of programs that many cases share, and the same changes of their graphs.
void ScaleKernels(samples::Scenario& scenario, std::string_view part_of_name, int64_t permille);
std::function<void(samples::Scenario&)> Kernels(std::string_view part_of_name, int64_t permille);
std::function<void(Edit&)> GraphKernels(std::string_view part_of_name, double factor);

void RemoveMarked(samples::Scenario& scenario);  // What is in kGroupSync.
// Where results are read by a copy and a sync. The first `skipped` syncs, of a set-up, stay.
std::function<void(Edit&)> RemoveReads(std::uint32_t skipped = 0);

// All host memory pinned and all calls asynchronous. What the copies then take is given: the
// machine's own figures.
void PinCopies(samples::Scenario& scenario);
void PinGraphCopies(Edit& edit);

// A change by its name (sample_traces/scenarios.h).
std::function<void(samples::Scenario&)> Change(std::string_view name);
void ForEachOp(samples::Scenario& scenario, const std::function<void(samples::Op&)>& change);

}  // namespace xsp::proof
