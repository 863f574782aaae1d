#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hierarchy/hierarchy.h"

namespace xsp {

// Where a program was at a moment of which no call tells: PyTorch's profiler notes allocations as
// moments of a process. Refers to the hierarchy.
class MomentPlaces {
 public:
  explicit MomentPlaces(const Hierarchy& hierarchy);

  // Of all ranges of the process that are open then, the one that was opened last, whatever its
  // thread: who waits opened theirs before. The process itself where none is.
  NodeId At(ProcessId process, TimeNs moment) const;

 private:
  const Hierarchy& h_;
  // By process: the ranges of each of its threads, in order of time.
  std::vector<std::vector<std::vector<std::uint32_t>>> threads_;
  std::unordered_map<EventId, NodeId> node_of_range_;
};

}  // namespace xsp
