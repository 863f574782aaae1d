#include "hierarchy/steps/step_roles.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/quantile.h"
#include "hierarchy/steps/step_period.h"
#include "hierarchy/steps/step_times.h"
#include "model/overhead_type.h"

namespace xsp {
namespace {

constexpr double kColdShare = 0.02;
constexpr double kClearlyColdShare = 0.25;  // Where too few follow to tell how far they differ.
constexpr double kOutlierShare = 0.2;
constexpr std::size_t kWarmForOutliers = 5;
constexpr double kProfilerShare = 0.05;
constexpr double kFullShare = 0.9;  // Of its usual size from which on a batch is full.

using StepList = std::vector<std::uint32_t>;

void LeaveOut(const StepList& list, LeftOut reason, Steps& steps) {
  for (std::uint32_t step : list) {
    steps.steps[step].role = StepRole::kLeftOut;
    steps.steps[step].left_out = reason;
  }
}

void SetRole(const StepList& list, StepRole role, Steps& steps) {
  for (std::uint32_t step : list) {
    steps.steps[step].role = role;
    steps.steps[step].left_out = LeftOut::kNo;
  }
}

// The last step, where it launched less than any other of its kind: the recording ended within it,
// whatever its range says.
void LeaveOutCut(const std::vector<LaunchedWork>& launched, Steps& steps) {
  const StepList all = steps.With(StepRole::kCounted);
  if (all.empty()) return;
  const StepList finished = steps.Counted(steps.steps[all.back()].kind());
  if (finished.size() < 2) return;
  std::vector<std::uint64_t> work(steps.size(), 0);
  for (std::uint32_t process = 0; process < launched.size(); ++process) {
    for (TimeNs launch : launched[process].launch) {
      const std::uint32_t step = steps.StepAt(ProcessId(process), launch);
      if (step != Steps::kOutside) ++work[step];
    }
  }
  std::uint64_t least = work[finished.front()];
  for (std::uint32_t step : finished) {
    if (step != finished.back()) least = std::min(least, work[step]);
  }
  if (work[finished.back()] * 10 < least * 9) LeaveOut({finished.back()}, LeftOut::kCut, steps);
}

// Time of the profiler's own in each step, on threads that work in it.
std::vector<DurationNs> ProfilersTime(const Trace& trace, const Steps& steps) {
  std::vector<DurationNs> own(steps.size());
  std::vector<std::uint8_t> makes_calls(trace.tracks().size());
  for (EventId call : trace.OfKind(EventKind::kApi)) makes_calls[trace.track_of(call).value] = 1;
  for (EventId e : trace.OfKind(EventKind::kOverhead)) {
    // A background thread that flushes buffers holds up nobody.
    if (makes_calls[trace.track_of(e).value] == 0) continue;
    if (!IsProfilersOwn(trace.overheads().overhead_type[trace.Row(e)])) continue;
    const auto after =
        std::partition_point(steps.steps.begin(), steps.steps.end(),
                             [&](const Step& step) { return step.time.end <= trace.begin(e); });
    for (auto it = after; it != steps.steps.end() && it->time.begin < trace.end(e); ++it) {
      const TimeRange both = it->time.Clip({trace.begin(e), trace.end(e)});
      own[static_cast<std::size_t>(it - steps.steps.begin())] += both.Length();
    }
  }
  return own;
}

void LeaveOutProfiled(const std::vector<DurationNs>& own, std::string_view kind, Steps& steps) {
  const StepList all = steps.Counted(kind);
  StepList profiled;
  for (std::uint32_t step : all) {
    const auto length = static_cast<double>(steps.steps[step].time.Length());
    if (static_cast<double>(own[step]) > kProfilerShare * length) profiled.push_back(step);
  }
  // Where the profiler is at work in most steps, it is part of what was measured.
  const std::size_t clean = all.size() - profiled.size();
  if (clean < kStepsForUnit || 2 * clean < all.size()) return;
  LeaveOut(profiled, LeftOut::kProfiler, steps);
}

// The lengths of those of these steps, from one of them on, that stand at a place of their period.
std::vector<DurationNs> LengthsAt(const Steps& steps, const StepList& list, std::size_t from,
                                  std::uint32_t place) {
  std::vector<DurationNs> lengths;
  for (std::size_t i = from; i < list.size(); ++i) {
    if (list[i] % steps.period == place) lengths.push_back(steps.steps[list[i]].time.Length());
  }
  return lengths;
}

bool IsCold(const Steps& steps, const StepList& list, std::size_t at) {
  const Step& step = steps.steps[list[at]];
  const auto length = static_cast<double>(step.time.Length());
  const std::vector<DurationNs> rest = LengthsAt(steps, list, at + 1, list[at] % steps.period);
  if (rest.empty()) return false;
  const RobustTimes usual(rest);
  const double longer = length - usual.median;
  if (rest.size() < kStepsForUnit) return longer > kClearlyColdShare * usual.median;
  return usual.IsFar(longer, kColdShare) ||
         std::min(longer, static_cast<double>(step.one_time)) > kColdShare * length;
}

void MarkCold(std::string_view kind, Steps& steps) {
  const StepList list = steps.Counted(kind);
  StepList cold;
  while (cold.size() < list.size() / 2 && IsCold(steps, list, cold.size())) {
    cold.push_back(list[cold.size()]);
  }
  SetRole(cold, StepRole::kCold, steps);
}

// Leaves out what does not make up whole periods of consecutive counted steps, where enough make up
// some.
void LeaveOutBeyondPeriods(std::string_view kind, Steps& steps) {
  if (steps.period <= 1) return;
  const StepList list = steps.Counted(kind);
  StepList beyond;
  for (std::size_t i = 0; i < list.size();) {
    const std::size_t last = i + steps.period - 1;
    if (last < list.size() && list[last] - list[i] == steps.period - 1) {
      i = last + 1;
    } else {
      beyond.push_back(list[i++]);
    }
  }
  if (list.size() - beyond.size() >= kStepsForUnit) {
    LeaveOut(beyond, LeftOut::kBeyondPeriods, steps);
  }
}

StepList FindOutliers(const Steps& steps, const StepList& warm) {
  StepList outliers;
  for (std::uint32_t place = 0; place < steps.period; ++place) {
    const RobustTimes usual(LengthsAt(steps, warm, 0, place));
    for (std::uint32_t step : warm) {
      if (step % steps.period != place) continue;
      const auto length = static_cast<double>(steps.steps[step].time.Length());
      if (usual.IsFar(std::abs(length - usual.median), kOutlierShare)) outliers.push_back(step);
    }
  }
  return outliers;
}

// Whether a program has two speeds, so that none of these steps is the odd one.
bool MarkOutliers(std::string_view kind, Steps& steps) {
  const StepList warm = steps.Counted(kind);
  if (warm.size() < kWarmForOutliers) return false;
  const StepList outliers = FindOutliers(steps, warm);
  if (outliers.empty()) return false;
  SetRole(outliers, StepRole::kOutlier, steps);
  LeaveOutBeyondPeriods(kind, steps);  // Their neighbours are no whole period any more.
  if (outliers.size() * 5 <= outliers.size() + steps.Counted(kind).size()) return false;
  SetRole(warm, StepRole::kCounted, steps);
  return true;
}

// Steps that decode before the batch is as full as it usually is, and after it was so for the last
// time: requests were still coming, or had ended.
void LeaveOutRamp(std::string_view kind, Steps& steps) {
  const StepList list = steps.Counted(kind);
  std::vector<std::uint64_t> requests;
  for (std::uint32_t step : list) requests.push_back(steps.steps[step].content.requests);
  const bool are_told =
      std::find(requests.begin(), requests.end(), kMissing<std::uint64_t>) == requests.end();
  if (list.empty() || kind == "prefill" || !are_told) return;
  const auto usual = static_cast<double>(MedianOf<std::uint64_t>(std::vector(requests)));
  const auto is_full = [&](std::uint64_t count) {
    return static_cast<double>(count) >= kFullShare * usual;
  };
  const auto first = std::find_if(requests.begin(), requests.end(), is_full) - requests.begin();
  const auto last = requests.rend() - std::find_if(requests.rbegin(), requests.rend(), is_full);
  const auto steady = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, last - first));
  if (steady < kStepsForUnit || 2 * steady < list.size()) return;
  StepList ramp(list.begin(), list.begin() + first);
  ramp.insert(ramp.end(), list.begin() + last, list.end());
  LeaveOut(ramp, LeftOut::kRamp, steps);
}

void FindKinds(Steps& steps) {
  for (const Step& step : steps.steps) {
    if (step.kind().empty()) continue;
    auto it = std::find_if(steps.kinds.begin(), steps.kinds.end(),
                           [&](const StepKindFacts& kind) { return kind.name == step.kind(); });
    if (it == steps.kinds.end()) it = steps.kinds.insert(it, StepKindFacts{.name = step.kind()});
    ++it->count;
    it->time += step.time.Length();
  }
  std::stable_sort(steps.kinds.begin(), steps.kinds.end(),
                   [](const StepKindFacts& a, const StepKindFacts& b) { return a.time > b.time; });
}

void ChooseMainKind(Steps& steps) {
  if (steps.kinds.empty()) return;
  steps.main_kind = steps.kinds.front().name;
  for (const StepKindFacts& kind : steps.kinds) {
    if (steps.Counted(kind.name).size() < kStepsForUnit) continue;
    steps.main_kind = kind.name;
    return;
  }
}

// The kinds that steps have, and for those that no framework names one without a name.
std::vector<std::string> KindsToJudge(const Steps& steps) {
  std::vector<std::string> kinds;
  std::size_t named = 0;
  for (const StepKindFacts& kind : steps.kinds) {
    kinds.push_back(kind.name);
    named += kind.count;
  }
  if (named < steps.size()) kinds.emplace_back();
  return kinds;
}

}  // namespace

void AssignRoles(const Trace& trace, const KernelKinds& kinds,
                 const std::vector<LaunchedWork>& launched, Steps& steps) {
  steps.one_time = OneTimeCosts(trace, steps);
  for (const OneTimeCall& cost : steps.one_time.calls()) {
    const std::uint32_t step = steps.StepAt(trace.process_of(cost.call), trace.begin(cost.call));
    if (step != Steps::kOutside) steps.steps[step].one_time += cost.ns;
  }
  FindKinds(steps);
  LeaveOutCut(launched, steps);
  const bool has_overhead = !trace.OfKind(EventKind::kOverhead).empty();
  const std::vector<DurationNs> own =
      has_overhead ? ProfilersTime(trace, steps) : std::vector<DurationNs>(steps.size());
  const std::vector<std::string> judged = KindsToJudge(steps);
  for (const std::string& kind : judged) {
    LeaveOutProfiled(own, kind, steps);
    if (!kind.empty()) LeaveOutRamp(kind, steps);
    // Cold steps hold other work than later ones, and would hide the period; whether a step is cold
    // is told by those at its place of the period. Kinds that interleave have no common period.
    MarkCold(kind, steps);
    if (judged.size() == 1) steps.period = FindPeriod(trace, kinds, launched, steps, kind);
    if (steps.period > 1) {
      SetRole(steps.With(StepRole::kCold, kind), StepRole::kCounted, steps);
      MarkCold(kind, steps);
    }
    LeaveOutBeyondPeriods(kind, steps);
    const bool two_speeds = MarkOutliers(kind, steps);
    if (kind.empty()) steps.two_speeds = two_speeds;
    for (StepKindFacts& known : steps.kinds) {
      if (known.name == kind) known.two_speeds = two_speeds;
    }
  }
  ChooseMainKind(steps);
}

}  // namespace xsp
