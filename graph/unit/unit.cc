#include "graph/unit/unit.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "graph/unit/step_borders.h"

namespace xsp {
namespace {

// What one simulation of a unit may cost: some thousand tasks take a millisecond, and a table of
// leverage asks for a thousand simulations.
constexpr std::uint32_t kTasksPerUnit = 16'000;

struct SimulatedRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t fill = 0;
};

// Tasks of an average one of these steps: host tasks by their time, with what they issue.
std::uint32_t TasksPerStep(const TaskGraph& graph, const Steps& steps, std::uint32_t first,
                           std::uint32_t last) {
  std::uint64_t tasks = 0;
  for (const GraphThread& thread : graph.threads) {
    const std::vector<HostStep>& host = steps.of_process[thread.process.value];
    const TimeRange time =
        host.empty() ? TimeRange{steps.steps[first].time.begin, steps.steps[last].time.end}
                     : TimeRange{host[first].host.begin, host[last].host.end};
    const TaskId from = LowerBound(graph.measured_begin, thread.tasks(), time.begin);
    const TaskId to = LowerBound(graph.measured_begin, {from, thread.last}, time.end);
    tasks +=
        TaskRange{from, to}.size() + TaskRange{graph.first_op[from], graph.first_op[to]}.size();
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, tasks / (last - first + 1)));
}

// How many steps a run has, of so many consecutive counted ones: whole periods, at least
// kStepsForUnit steps where there are as many, and more while that is cheap; and how many of them
// fill the pipeline before it. A whole period of filling leaves the device as far behind at the
// begin of the run as at its end; threads that hand work to each other some steps ahead need more
// (`has_stages`), until what one of them has ready for another one is used up, or made. Steps that
// were asked for are all meant: others fill.
SimulatedRun ShapeOf(std::uint32_t available, std::uint32_t period, std::uint32_t tasks_per_step,
                     bool has_stages, bool are_asked_for) {
  constexpr auto kFewest = static_cast<std::uint32_t>(kStepsForUnit);
  constexpr std::uint32_t kMostToFill = 32, kPartToFill = 4;
  SimulatedRun run;
  run.count = std::min(available, (kFewest + period - 1) / period * period);
  const std::uint32_t part = std::min(kMostToFill, available / kPartToFill) / period * period;
  const std::uint32_t fill = has_stages ? std::max(period, part) : period;
  run.fill = are_asked_for ? 0 : std::min(fill, available - run.count);
  auto fits = [&](std::uint64_t steps) {
    return steps <= available && steps * tasks_per_step <= kTasksPerUnit;
  };
  while (fits(std::uint64_t{run.fill} + run.count + period)) run.count += period;
  return run;
}

// The lengths of the runs of consecutive ones among these steps, each at its last step: how many
// steps a run that ends there can have.
std::vector<std::uint32_t> RunLengths(const std::vector<std::uint32_t>& steps) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool goes_on = i > 0 && steps[i] == steps[i - 1] + 1;
    lengths.push_back(goes_on ? lengths.back() + 1 : 1);
  }
  return lengths;
}

// Among the runs of so many consecutive ones of these steps, with steps before them to fill the
// pipeline where there are any such runs, the one whose mean is nearest to the typical step; of
// equal ones the first.
std::uint32_t NearestRun(const Steps& steps, const CountedSteps& set, const SimulatedRun& shape) {
  const std::vector<std::uint32_t> lengths = RunLengths(set.counted);
  std::optional<std::uint32_t> nearest;
  DurationNs least = 0;
  for (const bool is_filled : {true, false}) {
    for (std::size_t i = 0; i < lengths.size() && (is_filled || !nearest); ++i) {
      const std::uint32_t first = set.counted[i] + 1 - shape.count;
      if (lengths[i] < shape.count || (is_filled && first < shape.fill)) continue;
      DurationNs sum = 0;
      for (std::uint32_t k = 0; k < shape.count; ++k) sum += steps.steps[first + k].time.Length();
      const DurationNs distance = std::abs(sum - set.typical * shape.count);
      if (nearest && distance >= least) continue;
      nearest = first;
      least = distance;
    }
  }
  return *nearest;
}

// The run of these steps that is simulated.
SimulatedRun RunToSimulate(const TaskGraph& graph, const Steps& steps, const CountedSteps& set,
                           bool are_asked_for) {
  const std::vector<std::uint32_t> lengths = RunLengths(set.counted);
  const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
  const bool has_stages =
      std::any_of(graph.handoffs.begin(), graph.handoffs.end(),
                  [](const Handoff& handoff) { return handoff.rule == Rule::kThreadWait; });
  SimulatedRun run = ShapeOf(longest, steps.period,
                             TasksPerStep(graph, steps, set.counted.front(), set.counted.back()),
                             has_stages, are_asked_for);
  run.first = NearestRun(steps, set, run);
  return run;
}

Unit UnitOfSteps(const TaskGraph& graph, const Steps& steps, CountedSteps set, bool are_asked_for) {
  const SimulatedRun run = RunToSimulate(graph, steps, set, are_asked_for);
  Unit unit;
  unit.is_step = true;
  unit.steps = std::move(set);
  unit.first_step = run.first;
  unit.step_count = run.count;
  // Where no counted step is left to fill the pipeline, another one does.
  unit.fill = std::min(std::max(run.fill, 1u), run.first);
  unit.period = steps.period;
  unit.time = {steps.steps[run.first].time.begin, steps.steps[unit.end_step() - 1].time.end};
  unit.measured = unit.steps.typical;
  DurationNs sum = 0;
  for (std::uint32_t step = run.first; step < unit.end_step(); ++step) {
    sum += steps.steps[step].time.Length();
  }
  unit.run_measured = unit.MeanOfRun(sum);
  return unit;
}

// The times of steps, neighbours joined.
std::vector<TimeRange> TimesOf(const Steps& steps, const std::vector<std::uint32_t>& list) {
  std::vector<TimeRange> times;
  for (std::uint32_t step : list) {
    const TimeRange& time = steps.steps[step].time;
    if (!times.empty() && times.back().end == time.begin) {
      times.back().end = time.end;
    } else {
      times.push_back(time);
    }
  }
  return times;
}

Unit ChooseSpanOrSteps(const TaskGraph& graph, const Steps& steps, const UnitRequest& request) {
  if (!request.times.empty()) return SpanUnit(graph, request.times);
  CountedSteps counted = CountSteps(steps, request.kind.empty() ? steps.main_kind : request.kind);
  const bool has_enough = std::max(counted.counted.size(), request.steps.size()) >= kStepsForUnit;
  if (!request.steps.empty()) counted = CountSteps(steps, request.steps);
  if (has_enough) {
    return UnitOfSteps(graph, steps, std::move(counted), !request.steps.empty());
  }
  Unit span = SpanUnit(graph);
  // A few steps that a framework names, all of a kind, are what the trace is about.
  const bool is_one_kind = steps.kinds.size() == 1 && steps.kinds.front().count == steps.size();
  if (!request.kind.empty() || (request.steps.empty() && is_one_kind)) {
    span = SpanUnit(graph, TimesOf(steps, counted.counted));
  } else if (!request.steps.empty()) {
    span = SpanUnit(graph, std::vector{TimeRange{steps.steps[request.steps.front()].time.begin,
                                                 steps.steps[request.steps.back()].time.end}});
  }
  span.steps = std::move(counted);
  return span;
}

}  // namespace

Unit ChooseUnit(const TaskGraph& graph, const Steps& steps, const UnitRequest& request) {
  Unit unit = ChooseSpanOrSteps(graph, steps, request);
  UnitMeans means = UnitMeans::OfCounted(unit);
  unit.one_time_by = steps.one_time.ByReason(MeasuredTimes(steps, unit));
  for (DurationNs& ns : unit.one_time_by) ns = means.Next(ns);
  return unit;
}

std::vector<TimeRange> MeasuredTimes(const Steps& steps, const Unit& unit) {
  if (!unit.is_step) return unit.is_asked_for ? unit.parts : std::vector{unit.time};
  return TimesOf(steps, unit.steps.counted);
}

Unit SpanUnit(const TaskGraph& graph, TimeRange part) {
  Unit unit = SpanUnit(graph, std::vector{part});
  unit.is_asked_for = part != kAllTime;
  return unit;
}

Unit SpanUnit(const TaskGraph& graph, const std::vector<TimeRange>& parts) {
  Unit unit;
  unit.is_asked_for = true;
  unit.parts = parts;
  bool is_first = true;
  for (const SimSpan& span : MeasuredGpuSpans(graph, parts, &unit.margins)) {
    if (span.empty()) continue;
    unit.time.begin = is_first ? span.begin.ns : std::min(unit.time.begin, span.begin.ns);
    unit.time.end = is_first ? span.end.ns : std::max(unit.time.end, span.end.ns);
    unit.measured += span.Length();
    is_first = false;
  }
  unit.run_measured = unit.measured;
  return unit;
}

bool Unit::IsInParts(TimeNs begin) const {
  const auto part = std::partition_point(parts.begin(), parts.end(),
                                         [&](const TimeRange& p) { return p.end <= begin; });
  return part != parts.end() && part->Contains(begin);
}

std::vector<SimSpan> SpansOf(const TaskGraph& graph, const Schedule& schedule, const Steps& steps,
                             const Unit& unit) {
  if (unit.is_step) {
    return StepBorders(graph, steps, unit.first_step, unit.step_count).In(schedule);
  }
  const std::vector<SimSpan> ops = HostClockGpuSpansOf(graph, schedule, unit.parts);
  std::vector<SimSpan> spans;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!ops[i].empty()) spans.push_back(Widened(ops[i], unit.margins[i]));
  }
  if (spans.empty()) spans.emplace_back();
  return spans;
}

DurationNs LengthOf(const Unit& unit, const std::vector<SimSpan>& spans) {
  DurationNs sum = 0;
  for (const SimSpan& span : spans) sum += span.Length();
  return unit.MeanOfRun(sum);
}

}  // namespace xsp
