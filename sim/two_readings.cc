#include "sim/two_readings.h"

#include <algorithm>

#include "graph/trust/pace_makers.h"
#include "graph/trust/unseen_threads.h"
#include "graph/unit/beside.h"

namespace xsp {
namespace {

// What passes in silences on the path: with somebody who keeps pace, each may be a wait.
DurationNs SilenceOnPath(const ChangedProgram& of, const PathDoubtFinder& doubts) {
  constexpr DurationNs kShortestWait = 50'000;
  DurationNs silence = 0;
  for (const CriticalPath& path : of.paths) {
    for (const PathSegment& piece : path.segments) {
      const DurationNs ns = piece.end - piece.begin;
      const bool is_timer = piece.task.valid() && doubts.IsDoubtfulTimer(of.graph, piece.task);
      const bool is_silence =
          piece.kind == PathKind::kTimer ? is_timer : piece.kind == PathKind::kHostGap;
      if (is_silence && ns >= kShortestWait) silence += ns;
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

// With waits that fill a batch until some time as long as they were.
DurationNs WithTimesKept(const ChangedProgram& of) {
  const auto is_kept = [&](TaskId task) {
    const WaitLimit* limit = of.graph.WaitLimitOf(task);
    return limit != nullptr && limit->is_of_several &&
           of.graph.question[task].ask == Ask::kThread &&
           !IsBeside(of.steps, of.graph.threads[of.graph.lane[task]]);
  };
  const auto is_any = [&](const Handoff& handoff) { return is_kept(handoff.task); };
  if (std::none_of(of.graph.handoffs.begin(), of.graph.handoffs.end(), is_any)) return 0;
  TaskGraph kept = of.graph;
  std::erase_if(kept.handoffs, is_any);
  for (TaskId task : of.graph.host_tasks()) {
    if (!is_kept(task)) continue;
    kept.question[task] = {};
    kept.own[task] = of.graph.measured(task);
  }
  return of.length(kept, Simulate(kept), of.steps);
}

// A part of the forecast that is worth a second look.
bool Matters(const ChangedProgram& of, DurationNs part) {
  constexpr DurationNs kOneIn = 100;
  return kOneIn * part > of.forecast;
}

// Regular waits that may be for another thread: then nothing is left of them in a faster program.
bool HasDoubtfulTimer(const ChangedProgram& of, const GraphThread& thread,
                      const PathDoubtFinder& doubts) {
  for (TaskId task : thread.tasks()) {
    if (of.in_unit[task] != 0 && doubts.IsDoubtfulTimer(of.graph, task)) return true;
  }
  return false;
}

// What the unit takes less if threads never waited that do so on the path since the change, as far
// as nobody can tell that they wait.
DurationNs ExposedIn(const ChangedProgram& of, const PathDoubts& before, const PathDoubts& after,
                     const PathDoubtFinder& doubts) {
  ThreadSet threads(of.graph.threads.size());
  bool any = false;
  for (std::size_t i = 0; i < after.of_thread.size(); ++i) {
    const DurationNs was = i < before.of_thread.size() ? before.of_thread[i] : 0;
    const bool is_new = Matters(of, of.unit.MeanOfRun(after.of_thread[i] - was));
    threads[i] = is_new || HasDoubtfulTimer(of, of.graph.threads[i], doubts) ? 1 : 0;
    any |= threads[i] != 0;
  }
  if (!any) return 0;
  const TaskGraph free = doubts.WithoutDoubts(of.graph, threads);
  return std::max<DurationNs>(0, of.forecast - of.length(free, Simulate(free), of.steps));
}

// Threads to which the steps' own ones hand work, or that hand work to them, as calls of the system
// tell. Where a step hardly ever waits for the latter, as in a server that has enough to do, few
// rows say that it needs them.
ThreadSet PartnersOf(const ChangedProgram& of) {
  ThreadSet is_own(of.graph.threads.size()), partners(of.graph.threads.size());
  for (TaskId op : of.graph.ops()) {
    const std::uint32_t lane = of.graph.lane[of.graph.CallOf(op)];
    if (of.graph.kind[op] == TaskKind::kKernel && !IsBeside(of.steps, of.graph.threads[lane])) {
      is_own[lane] = 1;
    }
  }
  for (const Handoff& handoff : of.graph.handoffs) {
    if (handoff.rule != Rule::kThreadWait) continue;
    const std::uint32_t from = of.graph.lane[handoff.from], to = of.graph.lane[handoff.task];
    if (is_own[from] != 0 && is_own[to] == 0) partners[to] = 1;
    if (is_own[to] != 0 && is_own[from] == 0) partners[from] = 1;
  }
  return partners;
}

// How long it takes a thread to go on when another one has ended its wait.
DurationNs WakeUp(const TaskGraph& graph, TaskId task) {
  constexpr DurationNs kLongest = 100'000;
  DurationNs least = kLongest;
  for (const Handoff& handoff : graph.HandoffsTo(task)) least = std::min(least, handoff.lag);
  return least < kLongest ? std::max<DurationNs>(0, least) : 0;
}

// What a host task costs its thread when it never waits.
DurationNs WorkOf(const TaskGraph& graph, TaskId task, const PathDoubtFinder& doubts) {
  const bool is_wait = graph.kind[task] == TaskKind::kOsCall &&
                       graph.question[task].ask == Ask::kNothing && !graph.IsNap(task);
  const DurationNs own = is_wait || doubts.IsPoll(graph, task) ? 0 : graph.own[task];
  const DurationNs gap = doubts.IsBetweenPolls(graph, task) ? 0 : graph.gap[task];
  return own + WakeUp(graph, task) +
         std::max<DurationNs>(0, gap - doubts.WaitedBefore(graph, task));
}

// How long a thread needs for what it does in a step, waits for devices included: these stay in
// proportion.
DurationNs PaceOf(const ChangedProgram& of, const GraphThread& thread,
                  const PathDoubtFinder& doubts) {
  DurationNs work = 0, waits = 0;
  for (TaskId task : thread.tasks()) {
    if (of.graph.IsNew(task) || !of.unit.time.Contains(of.graph.measured_begin[task])) continue;
    const DurationNs own = WorkOf(of.graph, task, doubts);
    work += own;
    const Ask ask = of.graph.question[task].ask;
    if (ask == Ask::kDeadline) work += of.graph.measured(task);  // No change hastens it.
    if (Ask::kStream <= ask && ask <= Ask::kOwnWork) {
      waits += std::max<DurationNs>(0, of.graph.measured(task) - of.graph.own[task]);
    }
  }
  const double after = static_cast<double>(of.forecast) / static_cast<double>(of.measured);
  const double busy = static_cast<double>(work) + static_cast<double>(waits) * std::min(1.0, after);
  return static_cast<DurationNs>(busy / static_cast<double>(of.unit.time.Length()) *
                                 static_cast<double>(of.measured));
}

void LookForLagging(const ChangedProgram& of, const PathDoubtFinder& doubts, TwoReadings& result) {
  if (of.graph.trace->OfKind(EventKind::kOsrt).empty() || of.measured <= 0) return;
  const ThreadSet partners = PartnersOf(of);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == 0) continue;
    const GraphThread& thread = of.graph.threads[i];
    const Trace& trace = *of.graph.trace;
    const StringId name =
        thread.track.valid() ? trace.tracks()[thread.track.value].name : StringId();
    if (name.valid() && IsOnlooker(trace.strings()[name])) continue;
    // As measured it kept pace.
    const DurationNs pace = std::min(of.measured, PaceOf(of, thread, doubts));
    if (pace <= std::max(of.forecast, result.lagging)) continue;
    result.lagging = pace;
    result.lagging_thread = name.valid() ? trace.strings()[name] : "";
  }
}

// Steps of each rank by itself.
DurationNs FastestRank(const ChangedProgram& of) {
  constexpr double kNoticed = 0.98;
  const std::size_t processes = of.steps.of_process.size();
  const auto has_steps = [&](std::size_t process) { return !of.steps.of_process[process].empty(); };
  std::size_t count = 0;
  for (std::size_t i = 0; i < processes; ++i) count += has_steps(i) ? 1 : 0;
  if (count < 2) return 0;
  DurationNs least = of.forecast;
  for (std::size_t i = 0; i < processes; ++i) {
    if (!has_steps(i)) continue;
    Steps alone = of.steps;
    for (std::size_t j = 0; j < processes; ++j) {
      if (j != i) alone.of_process[j].clear();
    }
    least = std::min(least, of.length(of.graph, of.schedule, alone));
  }
  const bool is_noticed = static_cast<double>(least) < kNoticed * static_cast<double>(of.forecast);
  return is_noticed ? least : 0;
}

// Without events in the place of syncs.
DurationNs Unordered(const ChangedProgram& of) {
  if (of.graph.label.empty()) return 0;
  TaskGraph free;
  for (TaskId task : of.graph.host_tasks()) {
    const Question& question = of.graph.question[task];
    const bool keeps_order = of.graph.IsNew(task) && question.ask == Ask::kStreamWait &&
                             question.rule == Rule::kHostSync;
    if (!keeps_order) continue;
    if (free.question.empty()) free = of.graph;
    free.question[task] = {};
  }
  if (free.question.empty()) return 0;
  const DurationNs length = of.length(free, Simulate(free), of.steps);
  return Matters(of, of.forecast - length) ? length : 0;
}

// Steps that each wait for the next time behind their end.
DurationNs OnBeats(const ChangedProgram& of, DurationNs beat) {
  if (beat == 0) return 0;
  DurationNs sum = 0;
  for (const SimSpan& span : SpansOf(of.graph, of.schedule, of.steps, of.unit)) {
    sum += (span.Length() + beat - 1) / beat * beat;
  }
  return of.unit.MeanOfRun(sum);
}

}  // namespace

TwoReadings TwoReadingsOf(const ChangedProgram& program, const Trust& trust,
                          const PathDoubts& after, const PathDoubtFinder& doubts) {
  TwoReadings result;
  result.exposed = ExposedIn(program, trust.path, after, doubts);
  if (program.forecast < program.measured) {
    const DurationNs gone = trust.path.told_by_silence - after.told_by_silence;
    result.gone = program.unit.MeanOfRun(std::max<DurationNs>(0, gone));
  }
  result.timed = TimedWaits(program);
  result.kept = WithTimesKept(program);
  result.unordered = Unordered(program);
  if (!program.unit.is_step) return result;
  LookForLagging(program, doubts, result);
  result.rank_apart = FastestRank(program);
  const std::vector<TrackId> in_step = ThreadsInStep(program.graph, program.steps);
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
    result.apart = program.length(program.graph, Simulate(program.graph, overlay), program.steps);
    result.pace_maker = std::max(result.pace_maker, program.measured);
  }
  if (result.pace_maker > 0)
    result.exposed = std::max(result.exposed, SilenceOnPath(program, doubts));
  result.outliers = RecurringOutliers(program.unit.steps);
  result.beat = BeatOf(program);
  result.on_beats = OnBeats(program, result.beat);
  return result;
}

bool MissesBeats(const TwoReadings& of, DurationNs forecast) {
  constexpr DurationNs kNoticed = 50;  // One in so many of it: timers are not exact.
  return of.beat > 0 && (forecast - of.beat) * kNoticed > of.beat;
}

LikelyRange Widened(LikelyRange range, const TwoReadings& of, DurationNs measured,
                    DurationNs forecast) {
  const auto no_longer_than = [&](DurationNs other) {
    range.fast = std::min(range.fast, std::max<DurationNs>(0, other - other / 50));
  };
  const DurationNs less = std::max(of.exposed, of.timed);
  range.fast = std::min(range.fast, std::max<DurationNs>(0, forecast - less));
  if (of.apart > 0) no_longer_than(of.apart);
  if (of.kept > 0) no_longer_than(of.kept);
  if (of.rank_apart > 0) no_longer_than(of.rank_apart);
  if (of.unordered > 0) no_longer_than(of.unordered);
  // What holds up some steps now and then does so for more of them where these are shorter.
  const double times =
      forecast > 0 ? static_cast<double>(measured) / static_cast<double>(forecast) : 1;
  // Whoever keeps pace takes some time of his own, too, in another run.
  range.slow =
      std::max({range.slow, of.pace_maker + of.pace_maker / 40, of.lagging + of.lagging / 20,
                of.kept + of.kept / 50, std::min(measured, forecast + of.gone)}) +
      static_cast<DurationNs>(static_cast<double>(of.outliers) * std::max(1.0, times));
  if (MissesBeats(of, forecast)) {
    const DurationNs off = of.beat / 50;  // A timer is not exact.
    const DurationNs next = (forecast + of.beat - 1) / of.beat * of.beat;
    range.slow = std::max(range.slow, std::max(next + off, of.on_beats + of.beat / 10));
    // What would come too late may be left out.
    range.fast = std::min(range.fast, of.beat - off);
  }
  return range;
}

}  // namespace xsp
