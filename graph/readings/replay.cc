#include "graph/readings/replay.h"

#include <algorithm>
#include <cmath>

#include "graph/unit/step_borders.h"

namespace xsp {
namespace {

constexpr DurationNs kLongCall = 50'000;

double Ratio(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void CompareSteps(const TaskGraph& graph, const Schedule& replay, const Steps& steps,
                  TimeRange part, ReplayError& result) {
  const auto count = static_cast<std::uint32_t>(steps.size());
  const std::vector<SimSpan> simulated = StepBorders(graph, steps, 0, count).In(replay);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Step& step = steps.steps[i];
    const bool is_inside = part.begin <= step.time.begin && step.time.end <= part.end;
    if (step.left_out == LeftOut::kUnfinished || step.time.Empty() || !is_inside) continue;
    result.step_errors.push_back({i, step.time.Length(), simulated[i].Length(),
                                  Ratio(simulated[i].Length(), step.time.Length()) - 1, step.role});
  }
  double sum = 0, counted_sum = 0;
  for (const StepError& step : result.step_errors) {
    const double error = std::abs(step.error);
    sum += error;
    result.step_max_abs_error = std::max(result.step_max_abs_error, error);
    ++result.steps;
    if (step.role != StepRole::kCounted) continue;
    counted_sum += error;
    result.counted_max_abs_error = std::max(result.counted_max_abs_error, error);
    ++result.counted_steps;
  }
  if (result.steps > 0) result.step_mean_abs_error = sum / result.steps;
  if (result.counted_steps > 0) result.counted_mean_abs_error = counted_sum / result.counted_steps;
}

}  // namespace

ReplayError CompareReplay(const TaskGraph& graph, const Schedule& replay, const Steps& steps,
                          TimeRange part) {
  ReplayError result;
  const SimSpan measured = MeasuredGpuSpan(graph, part);
  const SimSpan simulated = GpuSpanOf(graph, replay, part);
  result.measured = measured.Length();
  result.simulated = simulated.Length();
  if (result.measured > 0) result.error = Ratio(result.simulated, result.measured) - 1;
  const DurationNs whole = MeasuredWholeSpan(graph, part).Length();
  if (whole > 0) {
    result.whole_span_error = Ratio(WholeSpanOf(graph, replay, part).Length(), whole) - 1;
  }
  double sum = 0;  // Of all kernels it can be more than fits.
  std::uint32_t kernels = 0;
  for (TaskId op : graph.ops()) {
    const TimeNs begin = TraceBegin(graph, op);
    if (graph.kind[op] != TaskKind::kKernel || graph.IsNew(op) || !part.Contains(begin)) continue;
    if (!replay.begin[op].known()) continue;
    const DurationNs skew = begin - graph.measured_begin[op];
    const DurationNs was = SimTime::At(begin) - measured.begin;
    sum += std::abs(static_cast<double>(replay.begin[op] + skew - simulated.begin - was));
    ++kernels;
  }
  if (kernels > 0) result.kernel_start_error = static_cast<DurationNs>(sum / kernels);
  CompareSteps(graph, replay, steps, part, result);
  return result;
}

Overlay HalveKernels(const TaskGraph& graph) {
  Overlay overlay;
  overlay.own = graph.own;
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] == TaskKind::kKernel) overlay.own[op] /= 2;
  }
  return overlay;
}

void Freeze(const TaskGraph& graph, Rule rule, Overlay& overlay) {
  overlay.ignored_rules |= 1u << IndexOf(rule);
  if (rule == Rule::kThreadHandoff) {
    overlay.gap = graph.gap;
    for (const Handoff& handoff : graph.handoffs) {
      if (handoff.rule != rule) continue;
      const TaskId previous = graph.PreviousOf(handoff.task);
      if (!previous.valid()) continue;
      overlay.gap[handoff.task] = graph.measured_begin[handoff.task] - graph.measured_end[previous];
    }
    return;
  }
  if (overlay.own.empty()) overlay.own = graph.own;
  overlay.wait.resize(graph.host_count());
  for (TaskId task : graph.host_tasks()) {
    if ((graph.flags[task] & kWaited) == 0) continue;
    const Question& question = graph.question[task];
    const Rule waits_by = HoldsCall(question.ask) ? question.rule : Rule::kLaunchQueue;
    if (waits_by != rule) continue;
    // What a call issues comes after a wait in the queue, but before a wait for its own copy.
    if (question.WaitsLast()) {
      overlay.wait[task] = std::max<DurationNs>(0, graph.measured(task) - graph.own[task]);
    } else {
      overlay.own[task] = graph.measured(task);
    }
  }
}

namespace {

// Whether anything can wait by the rule: if not, it makes no difference to freeze it.
bool HasWaitsBy(const TaskGraph& graph, Rule rule) {
  if (rule == Rule::kThreadHandoff) {
    return std::any_of(graph.handoffs.begin(), graph.handoffs.end(),
                       [&](const Handoff& handoff) { return handoff.rule == rule; });
  }
  if (rule == Rule::kLaunchQueue) return true;
  return std::any_of(graph.question.begin(), graph.question.end(), [&](const Question& question) {
    return HoldsCall(question.ask) && question.rule == rule;
  });
}

}  // namespace

HalvingTest RunHalvingTest(const TaskGraph& graph, TimeRange part) {
  const DurationNs measured = MeasuredGpuSpan(graph, part).Length();
  auto share = [&](const Overlay& overlay) {
    return Ratio(GpuSpanOf(graph, Simulate(graph, overlay), part).Length(), measured);
  };
  const Overlay halved = HalveKernels(graph);
  HalvingTest result;
  result.gpu_span_share = share(halved);
  for (const RuleRow& row : kRuleTable) {
    if (!Has(row.rule, kCanFreeze)) continue;
    if (!HasWaitsBy(graph, row.rule)) {
      result.frozen.emplace_back(row.rule, result.gpu_span_share);
      continue;
    }
    Overlay frozen = halved;
    Freeze(graph, row.rule, frozen);
    result.frozen.emplace_back(row.rule, share(frozen));
  }
  return result;
}

LongCalls ExplainLongCalls(const TaskGraph& graph, TimeRange part) {
  LongCalls result;
  for (TaskId task : graph.host_tasks()) {
    if (graph.kind[task] != TaskKind::kCall || graph.measured(task) <= kLongCall) continue;
    if (!part.Contains(graph.measured_begin[task])) continue;
    result.total += graph.measured(task);
    if ((graph.flags[task] & kWaited) != 0) {
      result.explained += graph.measured(task) - std::min(graph.own[task], graph.measured(task));
    }
  }
  return result;
}

}  // namespace xsp
