#include "hierarchy/steps/steps.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/enum_names.h"
#include "base/quantile.h"
#include "hierarchy/steps/finish_times.h"
#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/step_roles.h"

namespace xsp {
namespace {

// A short pause between two steps is part of the first (bookkeeping, the next batch); in a long one
// something else happens (an evaluation, a checkpoint).
void JoinNeighbours(std::vector<HostStep>& steps) {
  std::vector<DurationNs> lengths;
  for (const HostStep& step : steps) lengths.push_back(step.host.Length());
  const DurationNs short_pause = UpperMedian(lengths) / 2;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const TimeNs next = steps[i + 1].host.begin;
    if (next - steps[i].host.end <= short_pause) steps[i].host.end = next;
  }
}

// Widens the steps' times so that they hold this process's boundaries.
void AddBoundaries(const Trace& trace, const LaunchedWork& launched,
                   const std::vector<HostStep>& host, std::vector<Step>& steps) {
  const FinishTimes finished(trace, launched);
  for (std::size_t i = 0; i < host.size(); ++i) {
    Step& step = steps[i];
    step.time.begin = std::max(step.time.begin, finished.Boundary(host[i].host.begin));
    step.time.end = std::max(step.time.end, finished.Boundary(host[i].host.end));
    if (host[i].range.valid() &&
        (trace.events().flags[host[i].range.value] & EventFlag::kUnfinished) != 0) {
      step.role = StepRole::kLeftOut;
      step.left_out = LeftOut::kUnfinished;
    }
  }
}

// How much of a process's work was launched inside of ranges.
bool RangesSpeakFor(const Trace& trace, const HostRanges& ranges, ProcessId process) {
  std::uint64_t all = 0, inside = 0;
  for (EventId e : trace.DeviceWork()) {
    if (trace.process_of(e) != process || !trace.call_of(e).valid()) continue;
    ++all;
    inside += ranges.OfCall(trace.call_of(e)).range != HostRanges::kNone;
  }
  return inside * 2 > all || (all == 0 && ranges.MainThread(process).valid());
}

struct FoundSteps {
  StepSource source = StepSource::kNone;
  std::vector<HostStep> steps;
};

FoundSteps FindInProcess(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                         const KernelKinds& kinds, const LaunchedWork& launched,
                         ProcessId process) {
  FoundSteps found{StepSource::kRange, StepsFromNames(trace, ranges, names, process)};
  if (found.steps.empty() && RangesSpeakFor(trace, ranges, process)) {
    found.steps = StepsFromRepeatedRanges(trace, ranges, names, process);
  }
  // Ranges need not be steps ("attention", "softmax" in every layer): kernels repeat all the same.
  if (found.steps.empty()) {
    found.source = StepSource::kRepetition;
    found.steps = StepsFromRepeatedKernels(trace, kinds, launched, process);
  }
  if (found.steps.empty()) found.source = StepSource::kNone;
  return found;
}

// Processes take their steps together: as many as all of them have.
void Combine(const Trace& trace, const NameTable& names, const std::vector<LaunchedWork>& launched,
             std::vector<FoundSteps> found, Steps& result) {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const FoundSteps& f : found) {
    if (f.source == StepSource::kNone) continue;
    if (result.source == StepSource::kNone) result.source = f.source;
    count = std::min(count, f.steps.size());
  }
  result.of_process.resize(trace.processes().size());
  if (result.source == StepSource::kNone) return;
  result.steps.resize(count);
  for (Step& step : result.steps) step.time = {std::numeric_limits<TimeNs>::min(), 0};
  for (std::uint32_t p = 0; p < found.size(); ++p) {
    if (found[p].source == StepSource::kNone) continue;
    found[p].steps.resize(count);
    JoinNeighbours(found[p].steps);
    AddBoundaries(trace, launched[p], found[p].steps, result.steps);
    for (std::size_t i = 0; i < count; ++i) {
      const EventId range = found[p].steps[i].range;
      if (result.steps[i].name.empty() && range.valid()) {
        result.steps[i].name = names.Text(names.OfRange(trace.name_of(range)).name);
      }
    }
    result.of_process[p] = std::move(found[p].steps);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (result.steps[i].name.empty()) result.steps[i].name = "step " + std::to_string(i + 1);
    // Ranks that drift apart may overlap; the later boundary divides them.
    if (i + 1 < count) {
      result.steps[i].time.end = std::min(result.steps[i].time.end, result.steps[i + 1].time.begin);
    }
  }
}

}  // namespace

std::string_view NameOf(StepSource source) {
  constexpr EnumNames<StepSource::kRepetition> kNames({"none", "range", "repetition"});
  return kNames[source];
}

std::string_view NameOf(LeftOut reason) {
  constexpr EnumNames<LeftOut::kNotAskedFor> kNames(
      {"", "unfinished", "cut", "profiler", "beyond_periods", "not_asked_for"});
  return kNames[reason];
}

std::uint32_t Steps::StepAt(ProcessId process, TimeNs launch) const {
  const bool own =
      process.valid() && process.value < of_process.size() && !of_process[process.value].empty();
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(steps.size());
  auto range_of = [&](std::uint32_t i) {
    return own ? of_process[process.value][i].host : steps[i].time;
  };
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    (range_of(middle).end <= launch ? low = middle + 1 : high = middle);
  }
  return low < steps.size() && range_of(low).Contains(launch) ? low : kOutside;
}

std::vector<std::uint32_t> Steps::With(StepRole role) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].role == role) found.push_back(i);
  }
  return found;
}

Steps FindSteps(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                const KernelKinds& kinds) {
  const std::vector<LaunchedWork> launched = LaunchOrder(trace);
  std::vector<FoundSteps> found;
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p) {
    // An export may list every process of the machine; few of them took part.
    const bool took_part = !launched[p].work.empty() || ranges.MainThread(ProcessId(p)).valid();
    found.push_back(took_part
                        ? FindInProcess(trace, ranges, names, kinds, launched[p], ProcessId(p))
                        : FoundSteps{});
  }
  Steps steps;
  Combine(trace, names, launched, std::move(found), steps);
  AssignRoles(trace, kinds, launched, steps);
  return steps;
}

Steps FindSteps(const Trace& trace, const KernelRules& rules) {
  return FindSteps(trace, HostRanges(trace), NameTable(trace), KernelKinds(trace, rules));
}

}  // namespace xsp
