#pragma once

#include <cstdint>
#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// A graph in which one process runs several times: training on one GPU becomes training on several.
// Each copy has threads, streams, contexts, devices, copy engines, events and channels of its own,
// and begins when the original does. Where the original takes part in a collective, so do the
// copies; sim/edit/edit.h puts in new ones.
struct AddedRanks {
  TaskGraph graph;  // Of a copied task, the origin is the original's.
  std::uint32_t copies = 0;

  // Where a task of the old graph is; rank 0 is the original, ranks 1 to `copies` are the copies.
  // None: the task does not belong to the process, and has no copies.
  TaskId Of(TaskId old_task, std::uint32_t rank) const;

  PerTask<std::uint32_t> index;  // Per old task: its place among those of the process, or kOther.
  std::uint32_t old_hosts = 0;   // Host tasks of the old graph,
  std::uint32_t old_tasks = 0;   // and all of its tasks.
  std::uint32_t hosts = 0;       // Host tasks of the process,
  std::uint32_t ops = 0;         // and its operations.
  static constexpr std::uint32_t kOther = 0xFFFFFFFF;
};

AddedRanks AddRanks(const TaskGraph& graph, ProcessId process, std::uint32_t copies);

}  // namespace xsp
