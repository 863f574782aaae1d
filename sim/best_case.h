#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/task_graph.h"
#include "graph/trust/path_doubts.h"
#include "sim/plan/plan.h"

namespace xsp {

// How long kernels that ran beside others would have needed alone, had all that ran shared the
// device evenly.
class KernelsAlone {
 public:
  explicit KernelsAlone(const TaskGraph& graph);

  // Of its measured time, at least this share; 1 for all that ran alone.
  double ShareOf(EventId kernel) const {
    const auto it = share_.find(kernel);
    return it == share_.end() ? 1 : it->second;
  }
  // Time on critical paths that kernels may gain, or lose, with their company. A part of it only
  // where grids, registers and shared memory tell for how many there is room: that is simulated,
  // and what is left is what they take from each other besides, as memory bandwidth.
  DurationNs CompanyOn(const TaskGraph& graph, const std::vector<CriticalPath>& paths) const;

 private:
  std::unordered_map<EventId, double> share_;
  std::unordered_set<EventId> roomless_;  // Those of which, or of whose company, that is not known.
};

// What no program with a change can beat: if everything that the change touches cost nothing, and
// nobody ever waited for anybody, the busiest stream or thread would still have the rest of its own
// work to do. Takes nothing from the waits of a graph, which may be wrong.
// The least that all steps of the unit take together. `paths`: the critical paths of the unit after
// the change: only who decides there how long it takes can hold it up.
DurationNs BestCase(const Plan& plan, const std::vector<CriticalPath>& paths,
                    const KernelsAlone& kernels, const PathDoubtFinder& doubts);

}  // namespace xsp
