#include "graph/replay.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace xsp {
namespace {

constexpr DurationNs kLongCall = 50'000;

void Extend(SimSpan& span, SimTime begin, SimTime end) {
  if (!begin.known()) return;
  span.begin = span.empty() ? begin : std::min(span.begin, begin);
  span.end = std::max(span.end, end);
}

double Ratio(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Of the tasks from `first` on.
SimSpan SpanOf(const TaskGraph& graph, const Schedule& schedule, std::uint32_t first,
               TimeRange part) {
  SimSpan span;
  for (std::uint32_t task = first; task < graph.task_count(); ++task) {
    if (!schedule.begin[task].known() || !part.Contains(TraceBegin(graph, task))) continue;
    const DurationNs skew = TraceBegin(graph, task) - graph.measured_begin[task];
    Extend(span, schedule.begin[task] + skew, schedule.finish[task] + skew);
  }
  return span;
}

SimSpan MeasuredSpan(const TaskGraph& graph, std::uint32_t first, TimeRange part) {
  SimSpan span;
  for (std::uint32_t task = first; task < graph.task_count(); ++task) {
    const TimeNs begin = TraceBegin(graph, task);
    if (!part.Contains(begin) || graph.IsNew(task)) continue;
    Extend(span, SimTime::At(begin), SimTime::At(begin + graph.measured(task)));
  }
  return span;
}

// The simulated time of a moment by what a thread did last before it; unknown if it did nothing.
// `since` is when that was.
SimTime MomentByThread(const TaskGraph& graph, const Schedule& schedule, const GraphThread& thread,
                       TimeNs moment, TimeNs* since) {
  const auto first = graph.measured_begin.begin() + thread.first;
  const auto last = graph.measured_begin.begin() + thread.last;
  const auto next = std::upper_bound(first, last, moment);
  if (next == first) return {};
  const auto task = static_cast<std::uint32_t>(next - graph.measured_begin.begin()) - 1;
  const bool is_over = graph.measured_end[task] <= moment;
  *since = is_over ? graph.measured_end[task] : graph.measured_begin[task];
  const SimTime known = is_over ? schedule.finish[task] : schedule.begin[task];
  return known.known() ? known + (moment - *since) : SimTime();
}

void CompareSteps(const TaskGraph& graph, const Schedule& replay, const Steps& steps,
                  TimeRange part, ReplayError& result) {
  std::vector<TimeNs> moments;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps.steps[i];
    const bool is_inside = part.begin <= step.time.begin && step.time.end <= part.end;
    if (step.unfinished || step.time.Empty() || !is_inside) continue;
    result.step_errors.push_back({i, step.time.Length(), 0, 0, step.cold});
    moments.push_back(step.time.begin);
    moments.push_back(step.time.end);
  }
  const std::vector<SimTime> simulated = SimulatedMoments(graph, replay, moments);
  double sum = 0, steady_sum = 0;
  for (std::size_t i = 0; i < result.step_errors.size(); ++i) {
    StepError& step = result.step_errors[i];
    step.simulated = simulated[2 * i + 1] - simulated[2 * i];
    step.error = Ratio(step.simulated, step.measured) - 1;
    const double error = std::abs(step.error);
    sum += error;
    result.step_max_abs_error = std::max(result.step_max_abs_error, error);
    ++result.steps;
    if (step.cold) continue;
    steady_sum += error;
    result.steady_max_abs_error = std::max(result.steady_max_abs_error, error);
    ++result.steady_steps;
  }
  if (result.steps > 0) result.step_mean_abs_error = sum / result.steps;
  if (result.steady_steps > 0) result.steady_mean_abs_error = steady_sum / result.steady_steps;
}

}  // namespace

SimSpan GpuSpanOf(const TaskGraph& graph, const Schedule& schedule, TimeRange part) {
  return SpanOf(graph, schedule, graph.host_count(), part);
}

SimSpan MeasuredGpuSpan(const TaskGraph& graph, TimeRange part) {
  return MeasuredSpan(graph, graph.host_count(), part);
}

std::vector<SimTime> SimulatedMoments(const TaskGraph& graph, const Schedule& schedule,
                                      const std::vector<TimeNs>& moments) {
  std::unordered_map<TimeNs, SimTime> by_end;  // Moments at which an operation ended.
  for (TimeNs moment : moments) by_end.emplace(moment, SimTime());
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    const DurationNs skew = graph.ClockAhead(op);
    auto it = by_end.find(graph.measured_end[op] + skew);
    if (it != by_end.end() && schedule.finish[op].known()) it->second = schedule.finish[op] + skew;
  }
  std::vector<SimTime> result;
  for (TimeNs moment : moments) {
    SimTime time = by_end[moment];
    TimeNs latest = 0;
    for (const GraphThread& thread : graph.threads) {
      if (by_end[moment].known()) break;
      TimeNs since = 0;
      const SimTime candidate = MomentByThread(graph, schedule, thread, moment, &since);
      if (!candidate.known() || (time.known() && since <= latest)) continue;
      time = candidate;
      latest = since;
    }
    result.push_back(time.known() ? time : SimTime::At(moment));
  }
  return result;
}

ReplayError CompareReplay(const TaskGraph& graph, const Schedule& replay, const Steps& steps,
                          TimeRange part) {
  ReplayError result;
  const SimSpan measured = MeasuredGpuSpan(graph, part);
  const SimSpan simulated = GpuSpanOf(graph, replay, part);
  result.measured = measured.Length();
  result.simulated = simulated.Length();
  if (result.measured > 0) result.error = Ratio(result.simulated, result.measured) - 1;
  const DurationNs whole = MeasuredSpan(graph, 0, part).Length();
  if (whole > 0) {
    result.whole_span_error = Ratio(SpanOf(graph, replay, 0, part).Length(), whole) - 1;
  }
  DurationNs sum = 0;
  std::uint32_t kernels = 0;
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    const TimeNs begin = TraceBegin(graph, op);
    if (graph.kind[op] != TaskKind::kKernel || graph.IsNew(op) || !part.Contains(begin)) continue;
    if (!replay.begin[op].known()) continue;
    const DurationNs skew = begin - graph.measured_begin[op];
    const DurationNs was = SimTime::At(begin) - measured.begin;
    sum += std::abs(replay.begin[op] + skew - simulated.begin - was);
    ++kernels;
  }
  if (kernels > 0) result.kernel_start_error = sum / kernels;
  CompareSteps(graph, replay, steps, part, result);
  return result;
}

Overlay HalveKernels(const TaskGraph& graph) {
  Overlay overlay;
  overlay.own = graph.own;
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    if (graph.kind[op] == TaskKind::kKernel) overlay.own[op] /= 2;
  }
  return overlay;
}

void Freeze(const TaskGraph& graph, Rule rule, Overlay& overlay) {
  overlay.ignored_rules |= 1u << IndexOf(rule);
  if (rule == Rule::kThreadHandoff) {
    overlay.gap = graph.gap;
    for (const Handoff& handoff : graph.handoffs) {
      if (handoff.task == graph.threads[graph.lane[handoff.task]].first) continue;
      overlay.gap[handoff.task] =
          graph.measured_begin[handoff.task] - graph.measured_end[handoff.task - 1];
    }
    return;
  }
  if (overlay.own.empty()) overlay.own = graph.own;
  overlay.wait.resize(graph.host_count());
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
    if ((graph.flags[task] & kWaited) == 0) continue;
    const Question& question = graph.question[task];
    const Rule waits_by = IsWait(question.ask) ? question.rule : Rule::kLaunchQueue;
    if (waits_by != rule) continue;
    // What a call issues comes after a wait in the queue, but before a wait for its own copy.
    if (IsWait(question.ask) && !question.before_work) {
      overlay.wait[task] = std::max<DurationNs>(0, graph.measured(task) - graph.own[task]);
    } else {
      overlay.own[task] = graph.measured(task);
    }
  }
}

HalvingTest RunHalvingTest(const TaskGraph& graph, TimeRange part) {
  const DurationNs measured = MeasuredGpuSpan(graph, part).Length();
  auto share = [&](const Overlay& overlay) {
    return Ratio(GpuSpanOf(graph, Simulate(graph, overlay), part).Length(), measured);
  };
  const Overlay halved = HalveKernels(graph);
  HalvingTest result;
  result.gpu_span_share = share(halved);
  for (Rule rule : kFreezable) {
    Overlay frozen = halved;
    Freeze(graph, rule, frozen);
    result.frozen.emplace_back(rule, share(frozen));
  }
  return result;
}

LongCalls ExplainLongCalls(const TaskGraph& graph, TimeRange part) {
  LongCalls result;
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
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
