#include "diff/runs/kept_steps.h"

#include <algorithm>

namespace xsp {
namespace {

// The profiler takes this share of a step before it is left out.
constexpr double kOverheadShare = 0.05;
// A last step of other length than this times the median is part of the program's end.
constexpr double kTailFactor = 1.5;

// What a profiler does for itself: writing out its buffers, instrumenting code. Loading modules and
// compiling are the program's.
bool IsProfilersOwn(std::uint8_t type) {
  constexpr std::uint8_t kBufferFlush = 3;
  constexpr std::uint8_t kInstrumentation = 4;
  return type == kBufferFlush || type == kInstrumentation;
}

// Time of the profiler's own in each step, on threads that work in it.
std::vector<DurationNs> OverheadOf(const Trace& trace, const Steps& steps) {
  std::vector<DurationNs> overhead(steps.size());
  std::vector<std::uint8_t> makes_calls(trace.tracks().size());
  if (trace.OfKind(EventKind::kOverhead).empty()) return overhead;
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
      overhead[static_cast<std::size_t>(it - steps.steps.begin())] += both.Length();
    }
  }
  return overhead;
}

DurationNs MedianLength(const Steps& steps, const std::vector<std::uint32_t>& of) {
  std::vector<DurationNs> lengths;
  for (std::uint32_t step : of) lengths.push_back(steps.steps[step].time.Length());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

void DropTail(const Steps& steps, KeptSteps& kept) {
  if (kept.steps.size() <= kStepsForUnit) return;
  std::vector<std::uint32_t> others(kept.steps.begin(), kept.steps.end() - 1);
  const auto median = static_cast<double>(MedianLength(steps, others));
  const auto last = static_cast<double>(steps.steps[kept.steps.back()].time.Length());
  if (last <= kTailFactor * median && median <= kTailFactor * last) return;
  kept.steps.pop_back();
  ++kept.counts.tail;
}

void DropOverhead(const Trace& trace, const Steps& steps, KeptSteps& kept) {
  const std::vector<DurationNs> overhead = OverheadOf(trace, steps);
  std::vector<std::uint32_t> clean;
  for (std::uint32_t step : kept.steps) {
    const auto length = static_cast<double>(steps.steps[step].time.Length());
    if (static_cast<double>(overhead[step]) <= kOverheadShare * length) clean.push_back(step);
  }
  // Where the profiler is at work in most steps, it is part of what was measured.
  if (clean.size() < kStepsForUnit || 2 * clean.size() < kept.steps.size()) return;
  kept.counts.overhead = static_cast<std::uint32_t>(kept.steps.size() - clean.size());
  kept.steps = std::move(clean);
}

// Cuts the steps to whole periods of consecutive ones, where that leaves enough samples.
void TakePeriods(std::uint32_t period, KeptSteps& kept) {
  if (period <= 1) return;
  std::vector<std::uint32_t> whole;
  for (std::size_t i = 0; i + period <= kept.steps.size();) {
    if (kept.steps[i + period - 1] - kept.steps[i] != period - 1) {
      ++i;
      continue;
    }
    for (std::uint32_t k = 0; k < period; ++k) whole.push_back(kept.steps[i + k]);
    i += period;
  }
  if (whole.size() < kStepsForUnit * period) return;
  kept.steps = std::move(whole);
  kept.per_sample = period;
}

}  // namespace

std::optional<KeptSteps> StepsToCompare(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& wished) {
  KeptSteps kept;
  kept.counts.found = static_cast<std::uint32_t>(steps.size());
  kept.steps = wished.empty() ? steps.Steady() : wished;
  if (wished.empty()) {
    for (const Step& step : steps.steps) {
      kept.counts.cold += step.cold && !step.unfinished;
      kept.counts.tail += step.unfinished;
    }
    DropTail(steps, kept);
    DropOverhead(trace, steps, kept);
    TakePeriods(steps.period, kept);
  }
  if (kept.steps.size() < kStepsForUnit) return std::nullopt;
  kept.counts.kept = static_cast<std::uint32_t>(kept.steps.size());
  return kept;
}

}  // namespace xsp
