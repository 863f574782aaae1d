#include "graph/assessment.h"

namespace xsp {

GraphAssessment Assess(const TaskGraph& graph, const Steps& steps, std::uint32_t ignored_rules,
                       TimeRange part) {
  GraphAssessment result;
  result.ignored_rules = ignored_rules;
  for (TaskId task : graph.tasks()) {
    if (!part.Contains(TraceBegin(graph, task))) continue;
    ++(graph.IsHost(task) ? result.host_tasks : result.device_tasks);
    result.cold_calls += (graph.flags[task] & kCold) != 0;
  }
  Overlay overlay;
  overlay.ignored_rules = ignored_rules;
  result.replay = CompareReplay(graph, Simulate(graph, overlay), steps, part);
  result.halving = RunHalvingTest(graph, part);
  result.long_calls = ExplainLongCalls(graph, part);
  Answers answers;
  const Schedule guided = SimulateGuided(graph, &answers);
  const SimSpan span = MeasuredGpuSpan(graph, part);
  if (!span.empty()) result.idle = FindIdle(graph, guided, {{span.begin.ns, span.end.ns}});
  result.verification = Verify(graph, answers, part);
  return result;
}

}  // namespace xsp
