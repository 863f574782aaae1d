#include "sim/two_readings.h"

#include <algorithm>

#include "graph/trust/pace_makers.h"

namespace xsp {
namespace {

// What passes in silences on the path: with somebody who keeps pace, each may be a wait.
DurationNs SilenceOnPath(const ChangedProgram& of) {
  constexpr DurationNs kShortestWait = 50'000;
  DurationNs silence = 0;
  for (const CriticalPath& path : of.paths) {
    for (const PathSegment& piece : path.segments) {
      const DurationNs ns = piece.end - piece.begin;
      if (piece.kind == PathKind::kHostGap && ns >= kShortestWait) silence += ns;
    }
  }
  return of.unit.MeanOfRun(silence);
}

DurationNs OutliersOf(const CountedSteps& set) {
  constexpr std::size_t kOneOf = 8;
  const bool recur = kOneOf * set.outliers.size() >= set.counted.size() + set.outliers.size();
  return recur ? std::max<DurationNs>(0, set.warm_mean - set.typical) : 0;
}

DurationNs BeatOf(const ChangedProgram& of) {
  DurationNs beat = 0;
  for (const GraphTimer& timer : of.graph.timers) {
    const GraphThread& thread = of.graph.threads[timer.thread];
    const bool is_own = !of.steps.of_process[thread.process.value].empty();
    // About one wait a step.
    const std::size_t waits = 2 * std::size_t{timer.waits};
    if (!is_own || waits < of.steps.size() || waits > 3 * of.steps.size()) continue;
    beat = std::max(beat, timer.period);
  }
  return beat;
}

}  // namespace

TwoReadings TwoReadingsOf(const ChangedProgram& program, DurationNs may_wait_after,
                          DurationNs may_wait_before) {
  TwoReadings result;
  result.exposed = std::max<DurationNs>(0, may_wait_after - may_wait_before);
  if (!program.unit.is_step) return result;
  const std::vector<TrackId> in_step = ThreadsInStep(*program.graph.trace, program.steps);
  if (!in_step.empty()) {
    const double pace = PaceOfThreads(program.graph, program.schedule, program.in_unit, in_step);
    result.pace_maker = static_cast<DurationNs>(static_cast<double>(program.measured) * pace);
    result.exposed = std::max(result.exposed, SilenceOnPath(program));
  }
  result.outliers = OutliersOf(program.unit.steps);
  result.beat = BeatOf(program);
  return result;
}

bool MissesBeats(const TwoReadings& of, DurationNs forecast) {
  constexpr DurationNs kNoticed = 100;  // One in so many of it.
  return of.beat > 0 && (forecast - of.beat) * kNoticed > of.beat;
}

LikelyRange Widened(LikelyRange range, const TwoReadings& of, DurationNs measured,
                    DurationNs forecast) {
  range.fast = std::min(range.fast, std::max<DurationNs>(0, forecast - of.exposed));
  // What holds up some steps now and then does so for more of them where these are shorter.
  const double times =
      forecast > 0 ? static_cast<double>(measured) / static_cast<double>(forecast) : 1;
  range.slow = std::max(range.slow, of.pace_maker) +
               static_cast<DurationNs>(static_cast<double>(of.outliers) * std::max(1.0, times));
  if (MissesBeats(of, forecast)) {
    const DurationNs off = of.beat / 50;  // A timer is not exact.
    range.slow = std::max(range.slow, (forecast + of.beat - 1) / of.beat * of.beat + off);
    const DurationNs missed = std::max<DurationNs>(0, measured - of.beat);
    range.fast = std::min(range.fast, std::max(of.beat, forecast - missed) - off);
  }
  return range;
}

}  // namespace xsp
