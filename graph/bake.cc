#include "graph/bake.h"

namespace xsp {

TaskGraph Bake(TaskGraph graph, const Overlay& overlay) {
  if (!overlay.own.empty()) graph.own = overlay.own;
  if (!overlay.gap.empty()) graph.gap = overlay.gap;
  if (!overlay.wait.empty()) graph.wait = overlay.wait;
  graph.ignored_rules |= overlay.ignored_rules;
  return graph;
}

}  // namespace xsp
