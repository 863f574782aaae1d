#include "graph/scheduler.h"

#include "graph/simulation.h"

namespace xsp {

Schedule Simulate(const TaskGraph& graph, const Overlay& overlay, Answers* answers) {
  return Simulation<false>(graph, overlay, answers).Run();
}

Schedule SimulateGuided(const TaskGraph& graph, Answers* answers) {
  const Overlay unchanged;
  return Simulation<true>(graph, unchanged, answers).Run();
}

}  // namespace xsp
