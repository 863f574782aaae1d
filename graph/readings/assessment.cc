#include "graph/readings/assessment.h"

#include "graph/one_time.h"

namespace xsp {
namespace {

void ExplainAndVerify(const TaskGraph& graph, const Schedule& replay, TimeRange part,
                      GraphAssessment& result) {
  Answers answers;
  const Schedule guided = SimulateGuided(graph, &answers);
  const SimSpan span = MeasuredGpuSpan(graph, part);
  if (!span.empty()) result.idle = FindIdle(graph, guided, {{span.begin.ns, span.end.ns}});
  result.verification = Verify(graph, replay, answers, part);
}

}  // namespace

GraphAssessment Assess(const TaskGraph& graph, const Steps& steps, std::uint32_t ignored_rules,
                       TimeRange part) {
  GraphAssessment result;
  result.ignored_rules = ignored_rules;
  for (TaskId task : graph.tasks()) {
    if (!part.Contains(TraceBegin(graph, task))) continue;
    ++(graph.IsHost(task) ? result.host_tasks : result.device_tasks);
    result.cold_calls += (graph.flags[task] & kCold) != 0;
    result.one_time += OneTimeOf(graph, task);
  }
  Overlay overlay;
  overlay.ignored_rules = ignored_rules;
  Schedule replay = Simulate(graph, overlay);
  result.replay = CompareReplay(graph, replay, steps, part);
  result.long_calls = ExplainLongCalls(graph, part);
  if (ignored_rules != 0) replay = Simulate(graph);
  ExplainAndVerify(graph, replay, part, result);
  replay = {};  // Not needed any more, and as large as the graph.
  result.halving = RunHalvingTest(graph, part);
  const bool is_whole = part.begin == kAllTime.begin && part.end == kAllTime.end;
  const Unit unit = is_whole ? ChooseUnit(graph, steps) : SpanUnit(graph, part);
  result.trust = JudgeTrust(UnitBench(graph, steps, unit), steps, ignored_rules);
  return result;
}

}  // namespace xsp
