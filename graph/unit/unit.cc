#include "graph/unit/unit.h"

#include <algorithm>

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

// How many steps a run has, of so many consecutive steady ones: whole periods, at least
// kStepsForUnit steps where there are as many, and more while that is cheap; and how many fill the
// pipeline before it. A whole period of filling leaves the device as far behind at the begin of the
// run as at its end.
SimulatedRun ShapeOf(std::uint32_t available, std::uint32_t period, std::uint32_t tasks_per_step) {
  constexpr auto kFewest = static_cast<std::uint32_t>(kStepsForUnit);
  SimulatedRun run;
  run.count = std::min(available, (kFewest + period - 1) / period * period);
  run.fill = std::min(period, available - run.count);
  auto fits = [&](std::uint64_t steps) {
    return steps <= available && steps * tasks_per_step <= kTasksPerUnit;
  };
  while (fits(std::uint64_t{run.fill} + run.count + period)) run.count += period;
  return run;
}

// The longest run of consecutive ones among these steps.
std::vector<std::uint32_t> LongestRun(const std::vector<std::uint32_t>& steps) {
  std::size_t best = 0, best_length = 0, begin = 0;
  for (std::size_t i = 1; i <= steps.size(); ++i) {
    if (i < steps.size() && steps[i] == steps[i - 1] + 1) continue;
    if (i - begin > best_length) {
      best = begin;
      best_length = i - begin;
    }
    begin = i;
  }
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(best);
  return {first, first + static_cast<std::ptrdiff_t>(best_length)};
}

// The run of median length among all that have this shape; of equal ones the first.
std::uint32_t MedianRun(const Steps& steps, const std::vector<std::uint32_t>& of,
                        const SimulatedRun& shape) {
  std::vector<std::pair<DurationNs, std::uint32_t>> runs;
  for (std::uint32_t i = shape.fill; i + shape.count <= of.size(); ++i) {
    DurationNs sum = 0;
    for (std::uint32_t k = 0; k < shape.count; ++k) sum += steps.steps[of[i + k]].time.Length();
    runs.emplace_back(sum, of[i]);
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return middle->second;
}

Unit UnitOfSteps(const Steps& steps, const SimulatedRun& run,
                 const std::vector<std::uint32_t>& samples) {
  Unit unit;
  unit.is_step = true;
  unit.first_step = run.first;
  unit.step_count = run.count;
  // Where no steady step is left to fill the pipeline, a cold one does.
  unit.fill = std::min(std::max(run.fill, 1u), run.first);
  unit.period = steps.period;
  unit.time = {steps.steps[run.first].time.begin, steps.steps[unit.end_step() - 1].time.end};
  DurationNs sum = 0;
  for (std::uint32_t step = run.first; step < unit.end_step(); ++step) {
    sum += steps.steps[step].time.Length();
  }
  unit.measured = unit.Mean(sum);
  for (std::uint32_t step : samples) unit.samples.push_back(steps.steps[step].time.Length());
  return unit;
}

}  // namespace

Unit ChooseUnit(const TaskGraph& graph, const Steps& steps, const UnitRequest& request) {
  if (!request.times.empty()) return SpanUnit(graph, request.times);
  const std::vector<std::uint32_t> steady = steps.Steady();
  if (!request.steps.empty()) {
    const std::uint32_t first = request.steps.front(), last = request.steps.back();
    if (steady.size() < kStepsForUnit) {
      return SpanUnit(
          graph, std::vector{TimeRange{steps.steps[first].time.begin, steps.steps[last].time.end}});
    }
    return UnitOfSteps(steps, {first, last - first + 1, std::min(first, steps.period)},
                       request.steps);
  }
  if (steady.size() < kStepsForUnit) return SpanUnit(graph);
  const std::vector<std::uint32_t> longest = LongestRun(steady);
  SimulatedRun run = ShapeOf(static_cast<std::uint32_t>(longest.size()), steps.period,
                        TasksPerStep(graph, steps, longest.front(), longest.back()));
  run.first = MedianRun(steps, longest, run);
  return UnitOfSteps(steps, run, steady);
}

std::vector<TimeRange> TimesOf(const Steps& steps, const Unit& unit) {
  if (!unit.is_step) return unit.is_asked_for ? unit.parts : std::vector{unit.time};
  std::vector<TimeRange> times;
  for (std::uint32_t step = unit.first_step; step < unit.end_step(); ++step) {
    const TimeRange& time = steps.steps[step].time;
    if (!times.empty() && times.back().end == time.begin) {
      times.back().end = time.end;
    } else {
      times.push_back(time);
    }
  }
  return times;
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
  unit.samples = {unit.measured};
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
  return unit.Mean(sum);
}

}  // namespace xsp
