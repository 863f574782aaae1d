#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "graph/readings/edges.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// A dependency graph as MLCommons Chakra execution traces, one per rank, for simulators of whole
// clusters. A host task is up to three nodes: the untraced time before it, what it does, and, where
// it waits for the device or another thread, that it is over; an operation is one. Nodes come in an
// order in which each follows those it depends on. What lies between two tasks for technical
// reasons (a launch's way to the device, gaps of a stream) has no node: the format has no lags.
class ChakraExport {
 public:
  // `schedule` and `answers` come from one simulation of the graph, all of which must outlive this.
  ChakraExport(const TaskGraph& graph, const Schedule& schedule, const Answers& answers);

  // Their numbers, ascending: the job's, where all processes know theirs.
  const std::vector<std::uint32_t>& ranks() const { return ranks_; }

  struct Counts {
    std::uint64_t nodes = 0;
    std::uint64_t dependencies = 0;
    std::uint64_t left_out =
        0;  // Dependencies on what another rank does: collectives stand for it.
  };
  Counts Write(std::size_t rank, const ByteSink& sink) const;

  // comm_group.json: which ranks a process group of the collectives has.
  std::string Groups() const;

 private:
  friend class ChakraWriter;

  void FindRanks();
  void FindCollectives();
  std::uint32_t RankOf(TaskId task) const;  // A row of `ranks_`.

  struct Collective {
    std::string group;
    std::int64_t type = 0;
    std::uint64_t bytes = 0;  // 0: not recorded.
  };

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Answers& answers_;
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> rank_of_process_;  // Rows of `ranks_`.
  PerTask<std::uint8_t> waits_;                 // Per host task: whether something holds its end.
  std::vector<std::pair<TaskId, Collective>> collectives_;  // By task.
};

}  // namespace xsp
