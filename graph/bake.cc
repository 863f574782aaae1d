#include "graph/bake.h"

namespace xsp {

TaskGraph Bake(TaskGraph graph, const Overlay& overlay) {
  if (!overlay.own.empty()) graph.own = overlay.own;
  if (!overlay.gap.empty()) graph.gap = overlay.gap;
  if (!overlay.wait.empty()) graph.wait = overlay.wait;
  for (std::size_t i = 0; i < overlay.interval.size(); ++i) {
    graph.batches[i].SetInterval(overlay.interval[i]);
  }
  graph.ignored_rules |= overlay.ignored_rules;
  return graph;
}

TaskGraph Retime(TaskGraph graph, const Schedule& schedule) {
  graph.is_measured = false;
  for (TaskId task : graph.tasks()) {
    if (!schedule.finish[task].known()) continue;
    graph.measured_begin[task] = schedule.begin[task].ns;
    graph.measured_end[task] = schedule.finish[task].ns;
  }
  for (GraphThread& thread : graph.threads) {
    if (thread.first < thread.last) thread.start = graph.measured_begin[thread.first];
  }
  return graph;
}

}  // namespace xsp
