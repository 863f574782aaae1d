#include "graph/trust/trust.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"
#include "graph/call_class.h"
#include "graph/readings/idle.h"
#include "graph/readings/verify.h"
#include "graph/trust/pace_makers.h"
#include "graph/trust/unseen_threads.h"
#include "graph/unit/beside.h"

namespace xsp {
namespace {

constexpr double kNever = 1e9;
constexpr std::uint32_t kEnoughOperations = 20;
// An operation that begins so much before an edge allows it does not wait for it. Clocks and
// latencies are off by less.
constexpr DurationNs kMuchTooEarly = 20'000;

constexpr auto kDoubts = std::to_array<DoubtRow>({
    {Doubt::kReplay, "replay", 0.02, 0.05},
    {Doubt::kIdle, "idle", 0.05, 0.2},
    {Doubt::kLongCalls, "long_calls", 0.05, 0.2},
    {Doubt::kViolated, "violated", 0.05, 0.2},
    {Doubt::kWaits, "waits", 0.05, 0.3},
    {Doubt::kPolling, "polling", 0.05, 0.3},
    {Doubt::kSilence, "silence", 0.2, kNever},
    {Doubt::kUnseenRanks, "unseen_ranks", 0.1, kNever},
    {Doubt::kUnseenThreads, "unseen_threads", 1, kNever},
    {Doubt::kBeside, "beside", 0.1, 0.5},
    {Doubt::kScatter, "scatter", 0.2, kNever},
    {Doubt::kOutliers, "outliers", 0.05, kNever},
    {Doubt::kFewOperations, "few_operations", 1, kNever},
    {Doubt::kExposed, "exposed", 0.05, 0.5, true},
    {Doubt::kGone, "gone", 0.05, 0.5, true},
    {Doubt::kLagging, "lagging", 0.05, kNever, true},
    {Doubt::kMissesBeats, "misses_beats", 0.02, 0.02, true},
    {Doubt::kTimedWaits, "timed_waits", 0.05, kNever, true},
    {Doubt::kOtherCompany, "other_company", 0.1, 0.3, true},
    {Doubt::kRanksApart, "ranks_apart", 0.02, kNever, true},
    {Doubt::kOrder, "order", 0.02, kNever, true},
    {Doubt::kWideRange, "wide_range", 0.3, kNever, true},
});
static_assert(kDoubts.size() == kDoubtCount);

double Share(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The measured times of what is simulated.
std::vector<TimeRange> TimesOf(const Steps& steps, const Unit& unit) {
  return unit.is_step ? std::vector<TimeRange>{unit.time} : MeasuredTimes(steps, unit);
}

// How much steps at the same place of a period differ: standard deviation, as a share of the mean
// step.
double ScatterOf(const Steps& steps, const Unit& unit) {
  const std::vector<std::uint32_t>& counted = unit.steps.counted;
  const std::uint32_t period = std::max(1u, unit.period);
  if (counted.size() < 2 * period || unit.measured <= 0) return unit.steps.spread;
  std::vector<double> sum(period), count(period);
  for (std::uint32_t step : counted) {
    sum[step % period] += static_cast<double>(steps.steps[step].time.Length());
    ++count[step % period];
  }
  double squares = 0;
  for (std::uint32_t step : counted) {
    const auto length = static_cast<double>(steps.steps[step].time.Length());
    const double off = length - sum[step % period] / count[step % period];
    squares += off * off;
  }
  const auto free = static_cast<double>(counted.size() - period);
  return std::sqrt(squares / free) / static_cast<double>(unit.measured);
}

class Judge {
 public:
  Judge(const UnitBench& bench, const Steps& steps, const Schedule& replay)
      : bench_(bench), graph_(bench.graph()), steps_(steps), unit_(bench.unit()), replay_(replay) {}

  Trust Run(const GuidedReplay* guided) {
    trust_.replay_error =
        Share(bench_.Length(replay_), unit_.run_measured) - (unit_.run_measured > 0 ? 1 : 0);
    Set(Doubt::kReplay, std::abs(trust_.replay_error));
    if (guided != nullptr) {
      LookAtGuided(*guided);
    } else {
      GuidedReplay own;
      own.schedule = SimulateGuided(graph_, &own.answers);
      LookAtGuided(own);
    }
    LookAtPath();
    LookAtOthers();
    if (unit_.is_step) {
      Set(Doubt::kScatter, ScatterOf(steps_, unit_));
      Set(Doubt::kOutliers, Share(RecurringOutliers(unit_.steps), unit_.measured));
      trust_.unseen_threads = UnseenThreads(*graph_.trace, steps_);
      Set(Doubt::kUnseenThreads, trust_.unseen_threads.empty() ? 0 : 1);
    }
    Set(Doubt::kFewOperations, trust_.operations < kEnoughOperations ? 1 : 0);
    trust_.Conclude();
    return std::move(trust_);
  }

 private:
  void Set(Doubt doubt, double share) { trust_.Set(doubt, share); }
  // With a share that matters, too, but for which nobody distrusts all.
  void SetWorse(Doubt doubt, double share, double fair_at_most) {
    Set(doubt, std::max(share, fair_at_most));
    if (share < RowOf(doubt).low) trust_.fair_at_most[static_cast<std::size_t>(doubt)] = true;
  }

  // What each task would do if everything before it had happened as measured.
  void LookAtGuided(const GuidedReplay& guided) {
    const IdleReport idle = FindIdle(graph_, guided.schedule, TimesOf(steps_, unit_));
    const DurationNs unexplained = idle.total() - idle.explained();
    const auto devices = static_cast<DurationNs>(std::max<std::size_t>(1, idle.devices.size()));
    Set(Doubt::kIdle, Share(unexplained, idle.length * devices));
    trust_.idle_explained = 1 - Share(unexplained, idle.total());
    std::vector<std::uint8_t> is_early(graph_.task_count());
    for (const Violation& early : Verify(graph_, replay_, guided.answers).violations) {
      if (early.by > kMuchTooEarly) is_early[early.task.value] = 1;
    }
    std::uint32_t early = 0;
    for (TaskId task : graph_.tasks()) {
      if (!bench_.IsInUnit(task)) continue;
      early += is_early[task.value];
      trust_.operations += graph_.IsHost(task) ? 0 : 1;
    }
    Set(Doubt::kViolated, Share(early, trust_.operations));
  }

  void LookAtPath() {
    const std::vector<SimSpan> spans = SpansOf(graph_, replay_, steps_, unit_);
    trust_.path = PathDoubtFinder(graph_).Find(graph_, FindCriticalPaths(graph_, replay_, spans));
    const PathDoubts& path = trust_.path;
    SetWorse(Doubt::kLongCalls, path.ShareOf(path.long_calls), HiddenShare());
    SetWorse(Doubt::kWaits, path.ShareOf(path.waits), TimedShare());
    Set(Doubt::kPolling, path.ShareOf(path.polling));
    Set(Doubt::kSilence, std::max(path.ShareOf(path.silence), SilenceInStep()));
    Set(Doubt::kUnseenRanks, path.ShareOf(path.unseen_ranks));
  }

  // Calls of the steps' threads that a change may bring onto the path: syncs, launches and queries
  // that take long, and nothing says why. A part of the time that matters, or 0.
  double HiddenShare() const {
    constexpr DurationNs kLong = 50'000;
    constexpr double kMatters = 0.2;
    const CallClasses classes(*graph_.trace);
    DurationNs hidden = 0;
    for (TaskId task : graph_.host_tasks()) {
      const bool counts = graph_.kind[task] == TaskKind::kCall && bench_.IsInUnit(task) &&
                          !IsBeside(task) && (graph_.flags[task] & kCold) == 0;
      if (!counts) continue;
      const CallClass of = classes.Of(graph_, task);
      const DurationNs own = graph_.own[task];
      if (of == CallClass::kPoll && graph_.question[task].ask == Ask::kNothing) {
        const TaskId previous = graph_.PreviousOf(task);
        const bool goes_on = previous.valid() && classes.Of(graph_, previous) == of;
        hidden += own + (goes_on ? graph_.gap[task] : 0);
      } else if (own > kLong && CallClass::kLaunch <= of && of <= CallClass::kStreamWait &&
                 of != CallClass::kCopy) {
        hidden += own;
      }
    }
    const double share = trust_.path.ShareOf(hidden);
    return share >= kMatters ? share : 0;
  }

  // Waits of the steps' threads that somebody ended, in calls that run out at other times: how many
  // of them do so after a change, nobody can tell.
  double TimedShare() const {
    DurationNs timed = 0;
    for (TaskId task : graph_.host_tasks()) {
      const bool counts = bench_.IsInUnit(task) && !IsBeside(task) && graph_.LimitOf(task) > 0 &&
                          graph_.question[task].ask == Ask::kThread;
      if (counts) timed += graph_.measured(task);
    }
    return trust_.path.ShareOf(timed);
  }

  // Where other threads keep pace with the steps, and no row tells who waits for whom: how much of
  // the time they are silent; enough to matter in any case.
  double SilenceInStep() const {
    if (!unit_.is_step) return 0;
    const std::vector<TrackId> threads = ThreadsInStep(graph_, steps_);
    if (threads.empty()) return 0;
    DurationNs silence = 0;
    for (TaskId task : graph_.host_tasks()) {
      const TrackId track = graph_.threads[graph_.lane[task]].track;
      const bool counts = bench_.IsInUnit(task) &&
                          std::find(threads.begin(), threads.end(), track) != threads.end();
      if (counts) silence += graph_.gap[task];
    }
    const double share = trust_.path.ShareOf(silence) / static_cast<double>(threads.size());
    return std::clamp(share, RowOf(Doubt::kSilence).fair, 1.0);
  }

  bool IsBeside(TaskId host) const {
    return unit_.is_step && xsp::IsBeside(steps_, graph_.threads[graph_.lane[host]]);
  }

  // Work of processes that have no steps, while others take theirs, and of threads that no step
  // waits for. The latter alone make nobody distrust all: what they share is known.
  void LookAtOthers() {
    if (!unit_.is_step) return;
    DurationNs all = 0, others = 0, threads = 0;
    for (TaskId op : graph_.ops()) {
      const TimeRange time = unit_.time.Clip({graph_.measured_begin[op], graph_.measured_end[op]});
      if (time.Empty()) continue;
      const TaskId call = graph_.CallOf(op);
      const ProcessId process = graph_.threads[graph_.lane[call]].process;
      all += time.Length();
      if (steps_.of_process[process.value].empty()) {
        others += time.Length();
      } else if (IsBeside(call)) {
        threads += time.Length();
      }
    }
    SetWorse(Doubt::kBeside, Share(others, all), Share(threads, all));
  }

  const UnitBench& bench_;
  const TaskGraph& graph_;
  const Steps& steps_;
  const Unit& unit_;
  const Schedule& replay_;
  Trust trust_;
};

}  // namespace

std::string_view NameOf(TrustLevel level) {
  static constexpr EnumNames<TrustLevel::kLow> kNames({"high", "fair", "low"});
  return kNames[level];
}

std::span<const DoubtRow> AllDoubts() { return kDoubts; }
const DoubtRow& RowOf(Doubt doubt) { return kDoubts[static_cast<std::size_t>(doubt)]; }

void Trust::Conclude() {
  level = TrustLevel::kHigh;
  reasons.clear();
  for (const DoubtRow& row : kDoubts) {
    const double share = Of(row.doubt);
    if (share < row.fair) continue;
    const bool is_low = share >= row.low && !fair_at_most[static_cast<std::size_t>(row.doubt)];
    reasons.push_back({row.doubt, is_low ? TrustLevel::kLow : TrustLevel::kFair, share});
    level = std::max(level, reasons.back().level);
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const TrustReason& a, const TrustReason& b) { return a.level > b.level; });
}

DurationNs RecurringOutliers(const CountedSteps& set) {
  constexpr std::size_t kFewest = 3, kOneOf = 16;
  const std::size_t found = set.outliers.size();
  const bool recur = found >= kFewest && kOneOf * found >= set.counted.size() + found;
  return recur ? std::max<DurationNs>(0, set.warm_mean - set.typical) : 0;
}

Trust JudgeTrust(const UnitBench& bench, const Steps& steps, const Schedule& replay,
                 const GuidedReplay* guided) {
  return Judge(bench, steps, replay).Run(guided);
}

Trust JudgeTrust(const UnitBench& bench, const Steps& steps, std::uint32_t ignored_rules) {
  Overlay overlay;
  overlay.ignored_rules = ignored_rules;
  return JudgeTrust(bench, steps, Simulate(bench.graph(), overlay));
}

}  // namespace xsp
