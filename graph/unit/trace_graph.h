#pragma once

#include <cstdint>

#include "graph/task_graph.h"
#include "graph/unit/graph_part.h"
#include "graph/unit/unit.h"

namespace xsp {

struct TraceGraphOptions {
  const KernelRules& rules = KernelRules::BuiltIn();
  std::uint32_t ignored_rules = 0;  // Bits 1 << Rule: what simulations leave out.
  // Speak of the GPU span even where there are steps: what it is compared with has none.
  bool as_span = false;
};

// A trace with its hierarchy, its graph and the unit that figures speak of: what all that speaks of
// waits begins with.
class TraceGraph {
 public:
  // Throws Error for what is not in the trace, and where the part has no work on a device.
  TraceGraph(Trace trace, const Selection& selection, const TraceGraphOptions& options = {});

  const GraphPart& part() const { return part_; }
  const Trace& trace() const { return *part_.trace; }
  const Hierarchy& hierarchy() const { return *part_.hierarchy; }
  const Steps& steps() const { return part_.steps(); }
  const Window& window() const { return part_.window; }
  const TaskGraph& graph() const { return graph_; }
  const Unit& unit() const { return unit_; }

 private:
  GraphPart part_;
  TaskGraph graph_;
  Unit unit_;
};

}  // namespace xsp
