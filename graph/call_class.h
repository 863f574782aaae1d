#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/task_graph.h"
#include "model/trace.h"

namespace xsp {

// What a CUDA call does as far as waiting is concerned, told by its name.
enum class CallClass : std::uint8_t {
  kOther = 0,
  kLaunch,       // Kernel and graph launches.
  kCopy,         // Copies that by their name may block.
  kCopyAsync,    // Copies that by their name do not.
  kSyncContext,  // Waits for a device or context.
  kSyncStream,
  kSyncEvent,
  kRecord,      // Event record.
  kStreamWait,  // cudaStreamWaitEvent.
  kPoll,        // Queries: asked again and again by watchdog threads, and never waiting.
  kFree,        // Release of memory, module loading and unloading: waits unless shown otherwise.
  kAllocate,    // Allocation: waits where the trace shows it.
  kPool,        // Allocation from a pool, and release to it: does not wait.
  kGraphics,    // Takes a buffer from a graphics API, or gives it back.
};

// The class of a runtime or driver call, "cudaLaunchKernel_v7000" or "cuLaunchKernel".
CallClass ClassOfCall(std::string_view name);

// The names that a trace's calls have, numbered, and their classes. A trace has few of them, and
// millions of other strings.
class CallClasses {
 public:
  explicit CallClasses(const Trace& trace);

  // 0 for what is not the name of a call; below size().
  std::uint32_t NumberOf(StringId name) const { return name.valid() ? number_[name.value] : 0; }
  std::size_t size() const { return classes_.size(); }
  CallClass Of(StringId name) const { return classes_[NumberOf(name)]; }
  // Of a host task, also of one that an edit put in: that goes by its label.
  CallClass Of(const TaskGraph& graph, TaskId host) const;

 private:
  std::vector<std::uint32_t> number_;  // By string.
  std::vector<CallClass> classes_;     // By number.
};

}  // namespace xsp
