#include "sim/two_readings.h"

#include <algorithm>

#include "graph/trust/pace_makers.h"
#include "graph/unit/beside.h"

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

// Whether a thread that went on some time after another one's call may have worked meanwhile: of
// two that wake each other, one goes on soon, measured by its silence.
bool IsDoubtful(const TaskGraph& graph, const Handoff& handoff) {
  constexpr DurationNs kSoon = 300'000, kPartOfSilence = 10;
  const TaskId before = graph.PreviousOf(handoff.task);
  if (handoff.rule != Rule::kThreadHandoff || handoff.lag < kSoon || !before.valid()) return false;
  const DurationNs silence = graph.measured_begin[handoff.task] - graph.measured_end[before];
  return handoff.lag * kPartOfSilence > silence;
}

bool HasDoubtfulHandoffs(const ChangedProgram& of) {
  const auto count = std::count_if(
      of.graph.handoffs.begin(), of.graph.handoffs.end(), [&](const Handoff& handoff) {
        return of.in_unit[handoff.task] != 0 && IsDoubtful(of.graph, handoff);
      });
  return 2 * count >= static_cast<std::ptrdiff_t>(of.unit.step_count);
}

// Waits of the steps' threads in calls that give up after some time. Those that somebody ended last
// no longer than that; those that ran out may find what they wait for in a slower program.
DurationNs TimedWaits(const ChangedProgram& of) {
  DurationNs sum = 0;
  const bool is_slower = of.forecast > of.measured;
  for (TaskId task : of.graph.host_tasks()) {
    const DurationNs limit = of.graph.LimitOf(task);
    if (limit == 0 || of.in_unit[task] == 0 || !of.schedule.finish[task].known()) continue;
    if (IsBeside(of.steps, of.graph.threads[of.graph.lane[task]])) continue;
    const Ask ask = of.graph.question[task].ask;
    if (ask == Ask::kThread) {
      const DurationNs length = of.schedule.finish[task] - of.schedule.begin[task];
      sum += std::max<DurationNs>(0, length - limit);
    } else if (ask == Ask::kNothing && is_slower) {
      sum += of.graph.own[task];
    }
  }
  return of.unit.MeanOfRun(sum);
}

}  // namespace

TwoReadings TwoReadingsOf(const ChangedProgram& program, const Trust& trust,
                          DurationNs may_wait_after) {
  TwoReadings result;
  const DurationNs may_wait_before = program.unit.MeanOfRun(trust.path.MayWait());
  result.exposed = std::max<DurationNs>(0, may_wait_after - may_wait_before);
  result.timed = TimedWaits(program);
  if (!program.unit.is_step) return result;
  const std::vector<TrackId> in_step = ThreadsInStep(*program.graph.trace, program.steps);
  if (!in_step.empty()) {
    const double pace = PaceOfThreads(program.graph, program.schedule, program.in_unit, in_step);
    result.pace_maker = static_cast<DurationNs>(static_cast<double>(program.measured) * pace);
  }
  if (!trust.unseen_threads.empty()) {
    result.pace_maker = std::max(result.pace_maker, program.measured);
  }
  if (HasDoubtfulHandoffs(program)) {
    Overlay overlay;
    overlay.ignored_rules = 1u << IndexOf(Rule::kThreadHandoff);
    const Schedule apart = Simulate(program.graph, overlay);
    result.apart =
        LengthOf(program.unit, SpansOf(program.graph, apart, program.steps, program.unit));
    result.pace_maker = std::max(result.pace_maker, program.measured);
  }
  if (result.pace_maker > 0) result.exposed = std::max(result.exposed, SilenceOnPath(program));
  result.outliers = RecurringOutliers(program.unit.steps);
  result.beat = BeatOf(program);
  return result;
}

bool MissesBeats(const TwoReadings& of, DurationNs forecast) {
  constexpr DurationNs kNoticed = 50;  // One in so many of it: timers are not exact.
  return of.beat > 0 && (forecast - of.beat) * kNoticed > of.beat;
}

LikelyRange Widened(LikelyRange range, const TwoReadings& of, DurationNs measured,
                    DurationNs forecast) {
  const DurationNs less = std::max(of.exposed, of.timed);
  range.fast = std::min(range.fast, std::max<DurationNs>(0, forecast - less));
  if (of.apart > 0) range.fast = std::min(range.fast, of.apart - of.apart / 50);
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
