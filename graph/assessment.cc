#include "graph/assessment.h"

#include <algorithm>

namespace xsp {

GraphAssessment Assess(const TaskGraph& graph, const Steps& steps, std::uint32_t ignored_rules) {
  GraphAssessment result;
  Overlay overlay;
  overlay.ignored_rules = ignored_rules;
  result.replay = CompareReplay(graph, Simulate(graph, overlay), steps);
  result.halving = RunHalvingTest(graph);
  result.long_calls = ExplainLongCalls(graph);
  Answers answers;
  const Schedule guided = SimulateGuided(graph, &answers);
  const SimSpan span = MeasuredGpuSpan(graph);
  if (!span.empty()) result.idle = FindIdle(graph, guided, {span.begin.ns, span.end.ns});
  result.verification = Verify(graph, answers);
  return result;
}

Unit ChooseUnit(const TaskGraph& graph, const Steps& steps) {
  constexpr std::size_t kMinSteps = 3;
  std::vector<std::uint32_t> steady = steps.Steady();
  Unit unit;
  if (steady.size() < kMinSteps) {
    const SimSpan span = MeasuredGpuSpan(graph);
    if (!span.empty()) unit.time = {span.begin.ns, span.end.ns};
    return unit;
  }
  std::stable_sort(steady.begin(), steady.end(), [&](std::uint32_t a, std::uint32_t b) {
    return steps.steps[a].time.Length() < steps.steps[b].time.Length();
  });
  unit.is_step = true;
  unit.step = steady[(steady.size() - 1) / 2];
  unit.time = steps.steps[unit.step].time;
  return unit;
}

}  // namespace xsp
