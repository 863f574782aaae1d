#pragma once

#include <optional>
#include <vector>

#include "graph/interference/slowdown.h"
#include "graph/task_graph.h"

namespace xsp {

// How much of a device a kernel's blocks fill while it runs: as many as fit at once, by their
// threads, registers and shared memory against what the multiprocessors hold; where they come in
// several waves, the mean over these. 0 where the trace does not tell.
float DemandOf(const Trace& trace, EventId kernel);

// The kernels that run on a device at one time, in the order in which they came, and how fast: the
// block scheduler fills up with the blocks of whoever came first, and those that came later get
// what is left. Beside what room tells, company may cost what was learned (Slowdown).
class RunningKernels {
 public:
  explicit RunningKernels(const TaskGraph& graph) : graph_(graph) {}

  struct Running {
    TaskId op;
    double rate = 1;  // Of the speed that it has alone.
    double left = 0;  // For whoever runs them: how long it would take from here, alone.
  };

  void Add(TaskId op, double left) { running_.push_back({op, 1, left}); }
  void Remove(TaskId op);
  // Sets the rates of all; with_learned: not by room alone.
  void SetRates(bool with_learned);
  std::vector<Running>& running() { return running_; }

 private:
  double LearnedFactor(const Running& of, std::uint32_t collectives) const;

  const TaskGraph& graph_;
  std::vector<Running> running_;
};

// What measured kernels would have taken alone, as a share of what they took; 1 for all others.
// Nothing where more of them run at once than a GPU can: their times are those of no GPU.
std::optional<std::vector<float>> AloneShares(const TaskGraph& graph, bool with_learned);

}  // namespace xsp
