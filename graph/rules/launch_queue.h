#pragma once

#include <cstdint>
#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// The driver's queue of commands of one context: a launch returns when there is a place for it,
// that is, when the command `depth` + 1 places before it has finished. A graph launch is one
// command. Whether streams share a queue is not known from real traces; here they do.
class LaunchQueue {
 public:
  explicit LaunchQueue(std::uint32_t depth) : ring_(depth + 1) {}

  // The command that must finish before another one fits in, or none.
  TaskId Blocker() const { return count_ < ring_.size() ? TaskId() : ring_[count_ % ring_.size()]; }
  void Push(TaskId command) { ring_[count_++ % ring_.size()] = command; }

 private:
  std::vector<TaskId> ring_;
  std::uint64_t count_ = 0;
};

}  // namespace xsp
