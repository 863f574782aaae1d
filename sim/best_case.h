#pragma once

#include <unordered_map>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/simulation/scheduler.h"
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
  // Time that kernels on the critical paths of a changed program may take less (above 0) or more
  // (below), because fewer or more run beside them there than did as they were measured. Who keeps
  // its company keeps its time.
  DurationNs OtherCompany(const TaskGraph& changed, const Schedule& schedule,
                          const std::vector<CriticalPath>& paths) const;

 private:
  std::unordered_map<EventId, double> share_;
};

// What no program with a change can beat: if everything that the change touches cost nothing, and
// nobody ever waited for anybody, the busiest stream or thread would still have the rest of its own
// work to do. Takes nothing from the waits of a graph, which may be wrong.
// The least that all steps of the unit take together. `paths`: the critical paths of the unit after
// the change: only who decides there how long it takes can hold it up.
DurationNs BestCase(const Plan& plan, const std::vector<CriticalPath>& paths,
                    const KernelsAlone& kernels, const PathDoubtFinder& doubts);

}  // namespace xsp
