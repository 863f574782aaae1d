#include "sim/forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "graph/bake.h"
#include "graph/device_map.h"
#include "graph/one_time.h"
#include "graph/rule.h"
#include "graph/task_graph.h"
#include "graph/unit/beside.h"
#include "model/duration.h"
#include "model/names/call_names.h"
#include "model/names/communication.h"
#include "sim/between_steps.h"
#include "sim/floor.h"
#include "sim/forecast_trust.h"
#include "sim/two_readings.h"
#include "sim/whatifs/host/memory_calls.h"

namespace xsp {
namespace {

bool IsReadToHost(const TaskGraph& graph, TaskId host) {
  const TaskRange ops = graph.OpsOf(host);
  return !ops.empty() && graph.op_class[graph.RowOf(ops.front())] == OpClass::kDtoH;
}

// The same program as the Daydream paper (ATC'20) sees it, for a comparison
// with its rules:
//  - a launch's measured duration is host work, though it may hold a wait for a
//  place in the queue;
//  - there is no queue, no copy engine, no wait of an allocation;
//  - synchronizing calls wait, and so do all copies from device to host,
//  asynchronous or not.
TaskGraph ClassicGraph(const TaskGraph& graph) {
  TaskGraph classic = graph;
  for (const Rule rule : {Rule::kLaunchQueue, Rule::kCopyEngine, Rule::kAllocation}) {
    classic.ignored_rules |= 1u << IndexOf(rule);
  }
  for (TaskId host : graph.host_tasks()) {
    Question& question = classic.question[host];
    if (graph.kind[host] == TaskKind::kLoad || graph.kind[host] == TaskKind::kOsCall) {
      question = {};
      classic.own[host] = graph.measured(host);
    }
    if (graph.kind[host] != TaskKind::kCall) continue;
    if (IsReadToHost(graph, host)) {
      // Waits for its own copy, which comes behind everything on its stream.
      question = {};
      question.ask = Ask::kOwnWork;
      question.rule = Rule::kBlockingCopy;
      continue;
    }
    if (question.rule == Rule::kHostSync && IsWait(question.ask)) continue;
    if (IsWait(question.ask)) question = {};
    classic.own[host] = graph.measured(host);
  }
  return classic;
}

double Ratio(DurationNs a, DurationNs b) {
  return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b);
}

// What-ifs insert collectives whose class only the facts know.
PathKind KindOfPiece(const WorkFacts& facts, const PathSegment& piece) {
  const bool communicates = piece.kind == PathKind::kKernel && piece.task.valid() &&
                            IsCommunication(facts[piece.task].kind.kernel_class);
  return communicates ? PathKind::kCollective : piece.kind;
}

// What a piece of the path is counted under.
std::string NameOfPiece(const TaskGraph& graph, const WorkFacts& facts, const PathSegment& piece) {
  switch (piece.kind) {
    case PathKind::kKernel:
    case PathKind::kCollective:
      return std::string(NameOf(facts[piece.task].kind.kernel_class));
    case PathKind::kCopy:
      return std::string(NameOf(graph.op_class[graph.RowOf(piece.task)]));
    case PathKind::kLaunch:
    case PathKind::kCall:
    case PathKind::kAllocation:
    case PathKind::kOneTime:
    case PathKind::kSyncTail:
    case PathKind::kCopyTail:
    case PathKind::kDataLoading:
      return std::string(CallName(facts.Name(piece.task)));
    default:
      return "";
  }
}

void SayWhatLoadersMayDo(Forecast& forecast) {
  if (forecast.slow == forecast.slow_if_loader_keeps_up) return;
  forecast.assumptions.push_back(
      "the data loader keeps up: it was hardly ever waited for, so how fast it can be is not "
      "known; the slow end has it as slow as it was seen to be");
  forecast.surer.push_back("how long the loader takes for a batch, alone");
}

// Whether several processes use devices.
bool HasSeveralPrograms(const TaskGraph& graph) {
  return std::any_of(graph.contexts.begin(), graph.contexts.end(),
                     [&](const GraphContext& context) {
                       return context.process != graph.contexts.front().process;
                     });
}

// Without what others do beside the steps: they decide nothing for long.
std::vector<CriticalPath> WithoutBeside(const TaskGraph& graph, std::vector<CriticalPath> paths,
                                        const Steps& steps) {
  if (steps.beside.empty()) return paths;
  for (CriticalPath& path : paths) {
    std::erase_if(path.segments, [&](const PathSegment& piece) {
      if (!piece.task.valid()) return false;
      const TaskId host = graph.IsHost(piece.task) ? piece.task : graph.CallOf(piece.task);
      return IsBeside(steps, graph.threads[graph.lane[host]]);
    });
  }
  return paths;
}

// What a recording does not tell widens the range, whatever was calibrated.
void HoldBothReadings(const TwoReadings& readings, DurationNs measured, Forecast& forecast) {
  if (MissesBeats(readings, forecast.forecast)) {
    forecast.cautions.push_back("steps wait for a timer, every " + FormatDuration(readings.beat) +
                                ": what misses one time may have to wait for the next");
  }
  const LikelyRange range =
      Widened({forecast.fast, forecast.slow}, readings, measured, forecast.forecast);
  if (readings.pace_maker > forecast.slow) {
    forecast.cautions.push_back(
        "other threads may hold up faster steps: nothing was recorded of what they wait for");
    forecast.surer.push_back("record system calls (nsys profile --trace=cuda,nvtx,osrt)");
  }
  if (readings.timed > 0) {
    forecast.cautions.push_back(
        "some waits have a time-out: how many of them run out may change with the program");
  }
  const DurationNs more = range.slow - forecast.slow;
  forecast.fast = range.fast;
  forecast.slow = range.slow;
  forecast.slow_if_loader_keeps_up += more;
}

}  // namespace

double Forecast::ReplayError() const { return replay_of == 0 ? 0 : Ratio(replayed, replay_of) - 1; }

double Forecast::SpeedupAt(DurationNs time) const {
  return time <= 0 ? 1 : Ratio(measured, time) * work;
}

Workbench::Workbench(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit,
                     const WorkbenchOptions& options)
    : bench_(graph, hierarchy.steps(), unit),
      steps_(hierarchy.steps()),
      doubts_(bench_.graph()),
      alone_(bench_.graph()) {
  const TaskGraph& simulated = bench_.graph();
  recorded_.graph = &simulated;
  facts_ = FindFacts(simulated, hierarchy);
  in_unit_.resize(simulated.task_count());
  for (TaskId task : simulated.tasks()) in_unit_[task] = bench_.IsInUnit(task) ? 1 : 0;
  measured_ = unit.measured;
  replay_of_ = unit.run_measured;
  const std::uint32_t steps = unit.is_step ? unit.step_count + unit.fill : 1;
  machine_ = FindMachine(simulated, facts_, steps, options.peaks);
  recorded_ = Replayed(*recorded_.graph);
  trust_ = JudgeTrust(bench_, steps_, recorded_.replay);
  if (options.unprofiled) {
    ScaleHost(*options.unprofiled);
    recorded_ = Replayed(*recorded_.graph);
  }
  Overlay warm;
  warm.own = WarmCosts(*recorded_.graph);
  if (warm.own.empty()) return;
  without_one_time_ = Bake(*recorded_.graph, warm);
  warm_ = Replayed(without_one_time_);
  AddOneTime(warm_, warm_.limits);
  Overlay memory = warm;
  bool is_other = false;
  for (TaskId host : recorded_.graph->host_tasks()) {
    const DurationNs recorded = recorded_.graph->own[host];
    if (memory.own[host] == recorded || MemoryUseOf(facts_.Name(host)) == MemoryUse::kNone)
      continue;
    memory.own[host] = recorded;
    is_other = true;
  }
  if (!is_other) return;
  with_memory_only_ = Bake(*recorded_.graph, memory);
  memory_ = Replayed(with_memory_only_);
  AddOneTime(memory_, memory_.limits);
}

Workbench::Program Workbench::Replayed(const TaskGraph& graph) const {
  Program program{&graph, Simulate(graph), 0, {}};
  program.replayed = LengthOf(bench_.unit(), SpansOf(graph, program.replay, steps_, bench_.unit()));
  program.limits = LimitsOf(graph, facts_, PathsOf(graph, program.replay));
  return program;
}

const Workbench::Program& Workbench::ProgramFor(std::span<const ChosenWhatIf> whatifs) const {
  OneTimeScope scope = OneTimeScope::kNone;
  for (const ChosenWhatIf& chosen : whatifs) {
    scope = std::max(scope, chosen.whatif->changes_one_time);
  }
  if (warm_.graph == nullptr || scope == OneTimeScope::kAll) return recorded_;
  return scope == OneTimeScope::kMemory && memory_.graph != nullptr ? memory_ : warm_;
}

// Profiling makes calls and what lies between them longer, and leaves the
// device's work as it is: the factor on the host's side at which a unit takes
// as long as it does without the profiler.
void Workbench::ScaleHost(DurationNs unprofiled) {
  auto scaled = [&](double factor) {
    Overlay overlay;
    overlay.own = recorded_.graph->own;
    overlay.gap = recorded_.graph->gap;
    auto scale = [&](DurationNs& time) {
      time = static_cast<DurationNs>(static_cast<double>(time) * factor);
    };
    for (TaskId host : recorded_.graph->host_tasks()) {
      scale(overlay.own[host]);
      scale(overlay.gap[host]);
    }
    for (const GraphBatch& batch : recorded_.graph->batches) {
      overlay.interval.push_back(batch.interval);
      scale(overlay.interval.back());
    }
    return overlay;
  };
  // The length grows with the factor: halve the interval until it is met.
  double low = 0.02, high = 1.5;
  constexpr int kHalvings = 20;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (bench_.Length(scaled(middle)) < unprofiled ? low : high) = middle;
  }
  host_factor_ = high;
  const Overlay overlay = scaled(host_factor_);
  scaled_ = Bake(*recorded_.graph, overlay);
  recorded_.graph = &scaled_;
  measured_ = replay_of_ = unprofiled;
  auto scale = [&](DurationNs& time) {
    time = static_cast<DurationNs>(static_cast<double>(time) * host_factor_);
  };
  scale(machine_.launch_own);
  scale(machine_.operation_host);
  for (DurationNs& in_phase : machine_.operation_host_in) scale(in_phase);
  scale(machine_.copy_own);
}

std::unique_ptr<Plan> Workbench::NewPlan() const {
  return std::make_unique<Plan>(*ProgramFor({}).graph, facts_, machine_, bench_.unit(), steps_,
                                in_unit_);
}

DurationNs Workbench::Corrected(const Program& program, DurationNs simulated) const {
  return std::max<DurationNs>(0, measured_ + simulated - program.replayed);
}

void Workbench::AddOneTime(const Program& program, std::vector<Limit>& limits) const {
  const DurationNs ns = recorded_.replayed - program.replayed;
  if (ns == 0) return;
  limits.push_back({PathKind::kOneTime, "", ns});
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit& a, const Limit& b) { return a.ns > b.ns; });
}

// What the busiest stream takes in any case; but simulated steps may be longer than the mean one.
DurationNs Workbench::FloorOf(const Plan& plan, const Overlay& costs) const {
  const DurationNs sum = LeastTimeOf(plan.graph(), costs, plan.in_unit(), bench_.unit(), steps_);
  const double least = static_cast<double>(bench_.unit().MeanOfRun(sum)) * plan.repeats();
  return std::min(measured_, static_cast<DurationNs>(least));
}

void Workbench::CountDevice(const Plan& plan, Forecast& forecast) const {
  std::array<DurationNs, kKernelClassCount> before{}, after{};
  auto count = [](const TaskGraph& graph, const WorkFacts& facts,
                  const PerTask<std::uint8_t>& in_unit, auto& sums) {
    for (TaskId op : graph.ops()) {
      if (in_unit[op] == 0) continue;
      sums[static_cast<std::size_t>(facts[op].kind.kernel_class)] += graph.own[op];
    }
  };
  count(*recorded_.graph, facts_, in_unit_, before);
  count(plan.graph(), plan.facts(), plan.in_unit(), after);
  UnitMeans means_before = UnitMeans::OfRun(bench_.unit());
  UnitMeans means_after = UnitMeans::OfRun(bench_.unit());
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    if (before[i] == 0 && after[i] == 0) continue;
    const ClassTime time{static_cast<KernelClass>(i), means_before.Next(before[i]),
                         means_after.Next(after[i])};
    forecast.device_before += time.before;
    forecast.device_after += time.after;
    forecast.classes.push_back(time);
  }
  std::stable_sort(forecast.classes.begin(), forecast.classes.end(),
                   [](const ClassTime& a, const ClassTime& b) {
                     return std::max(a.before, a.after) > std::max(b.before, b.after);
                   });
}

std::vector<CriticalPath> Workbench::PathsOf(const TaskGraph& graph,
                                             const Schedule& schedule) const {
  return FindCriticalPaths(graph, schedule, SpansOf(graph, schedule, steps_, bench_.unit()));
}

std::vector<Limit> Workbench::LimitsOf(const TaskGraph& graph, const WorkFacts& facts,
                                       const std::vector<CriticalPath>& paths) const {
  std::map<std::pair<PathKind, std::string>, DurationNs> sums;
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      sums[{KindOfPiece(facts, piece),
            piece.task.valid() ? NameOfPiece(graph, facts, piece) : ""}] += piece.end - piece.begin;
    }
  }
  UnitMeans means = UnitMeans::OfRun(bench_.unit());
  std::vector<Limit> limits;
  for (const auto& [key, ns] : sums) limits.push_back({key.first, key.second, means.Next(ns)});
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit& a, const Limit& b) { return a.ns > b.ns; });
  return limits;
}

// The books of the plan, for one unit.
void Workbench::Describe(const Plan& plan, Forecast& forecast) const {
  const UnitMeans counts = UnitMeans::OfRun(bench_.unit());
  UnitMeans device_before = counts, device_after = counts;
  UnitMeans host_before = counts, host_after = counts;
  DurationNs difference = 0;
  for (PlannedChange change : plan.changes()) {
    difference += change.device_after - change.device_before;
    difference += change.host_after - change.host_before;
    change.removed = counts.Count(change.removed);
    change.inserted = counts.Count(change.inserted);
    change.changed = counts.Count(change.changed);
    change.device_before = device_before.Next(change.device_before);
    change.device_after = device_after.Next(change.device_after);
    change.host_before = host_before.Next(change.host_before);
    change.host_after = host_after.Next(change.host_after);
    forecast.changes.push_back(std::move(change));
  }
  const DurationNs naive = std::max<DurationNs>(0, measured_ + bench_.unit().MeanOfRun(difference));
  forecast.naive = static_cast<DurationNs>(static_cast<double>(naive) * plan.repeats() + 0.5);
  forecast.work = plan.work();
  if (plan.has_memory()) forecast.memory_bytes = plan.memory_bytes();
  forecast.evidence = plan.evidence();
  forecast.assumptions = plan.assumptions();
  forecast.surer = plan.surer();
  forecast.cautions = plan.cautions();
}

std::optional<DurationNs> Workbench::RunClassic(std::span<const ChosenWhatIf> whatifs) const {
  const TaskGraph classic = ClassicGraph(*recorded_.graph);
  Plan plan(classic, facts_, machine_, bench_.unit(), steps_, in_unit_);
  for (const ChosenWhatIf& chosen : InOrder(whatifs)) {
    if (!chosen.whatif->classic) return std::nullopt;
    if (!chosen.whatif->classic(plan, chosen.values).applies) return std::nullopt;
    plan.Commit();
  }
  const DurationNs before = bench_.Length(classic, {});
  const DurationNs after = bench_.Length(plan.graph(), {});
  if (before <= 0) return std::nullopt;
  return static_cast<DurationNs>(static_cast<double>(measured_) * Ratio(after, before) + 0.5);
}

void Workbench::KeepAboveFloor(const Plan& plan, DurationNs rank_apart, Forecast& forecast) const {
  constexpr double kNoise = 0.95;
  DurationNs floor = FloorOf(plan, plan.Fast());
  if (rank_apart > 0) floor = std::min(floor, rank_apart);
  const DurationNs least =
      std::min(forecast.forecast - 1, static_cast<DurationNs>(kNoise * static_cast<double>(floor)));
  forecast.fast = std::max({forecast.fast, least, DurationNs{0}});
  forecast.bound = std::min(forecast.bound, forecast.fast);
}

// At worst kernels take turns: their device then works for as long as all of them take.
DurationNs Workbench::OtherCompany(const Plan& plan, const Schedule& schedule,
                                   const std::vector<CriticalPath>& paths,
                                   const Forecast& forecast) const {
  const auto devices = static_cast<DurationNs>(DeviceMap(plan.graph()).size());
  const DurationNs in_turns = forecast.device_after / std::max<DurationNs>(1, devices);
  return std::max(bench_.unit().MeanOfRun(alone_.OtherCompany(plan.graph(), schedule, paths)),
                  -std::max<DurationNs>(0, in_turns - forecast.forecast));
}

// `time`: how long a unit takes with other costs of the changed graph.
void Workbench::SetRange(const Program& program, const Plan& plan,
                         const std::vector<CriticalPath>& paths,
                         const std::function<DurationNs(const Overlay&)>& time,
                         Forecast& forecast) const {
  const Unit& unit = bench_.unit();
  const PathDoubts doubts = doubts_.Find(plan.graph(), paths);
  Uncertainty& of = forecast.uncertainty;
  of.evidence = plan.evidence();
  of.trust = forecast.trust.level;
  of.measured = static_cast<DurationNs>(static_cast<double>(measured_) * plan.repeats());
  of.forecast = forecast.forecast;
  // Faster parts can make a whole slower, by a place in a queue: the likely time is within both.
  of.fast = std::min(time(plan.Fast()), of.forecast);
  of.slow = std::max(time(plan.Slow(true)), of.forecast);
  of.other_steps = forecast.OtherSteps();
  of.replay_error = forecast.ReplayError();
  of.spread = trust_.Of(Doubt::kScatter);
  of.steps = unit.counted_size();
  of.may_wait = unit.MeanOfRun(doubts.MayWait());
  of.unseen_ranks = unit.MeanOfRun(doubts.unseen_ranks);
  of.for_others =
      of.unseen_ranks + (HasSeveralPrograms(plan.graph()) ? unit.MeanOfRun(doubts.waits) : 0);
  of.device_before = forecast.device_before;
  of.device_after = forecast.device_after;
  const LikelyRange range = LikelyRangeOf(of);
  forecast.fast = range.fast;
  forecast.slow = forecast.slow_if_loader_keeps_up = range.slow;
  if (HasUnknownProducer(plan.graph())) {
    const DurationNs slower = time(plan.Slow(false)) - of.slow;
    forecast.slow += std::max<DurationNs>(0, slower);
    SayWhatLoadersMayDo(forecast);
  }
  // What happens only once takes its time in any case.
  const DurationNs once = recorded_.replayed - program.replayed;
  const std::vector<CriticalPath> own =
      unit.is_step ? WithoutBeside(plan.graph(), paths, steps_) : paths;
  const auto best =
      static_cast<double>(unit.MeanOfRun(BestCase(plan, own, alone_, doubts_)) + once);
  forecast.bound = static_cast<DurationNs>(best * plan.repeats() * (1 - MarginOfBest(of)));
}

Forecast Workbench::Run(std::span<const ChosenWhatIf> whatifs, Simulated* after) const {
  Forecast forecast;
  const Program& program = ProgramFor(whatifs);
  const auto plan =
      std::make_unique<Plan>(*program.graph, facts_, machine_, bench_.unit(), steps_, in_unit_);
  bool any = false;
  for (const ChosenWhatIf& chosen : InOrder(whatifs)) {
    forecast.whatifs.push_back(chosen.AsOption());
    const Applied applied = chosen.whatif->apply(*plan, chosen.values);
    any |= applied.applies;
    if (!applied.applies && forecast.reason.empty()) {
      forecast.reason = (whatifs.size() > 1 ? forecast.whatifs.back() + ": " : "") + applied.reason;
    }
    if (applied.applies) plan->Commit();
  }
  forecast.applies = any;
  forecast.measured = measured_;
  forecast.replayed = recorded_.replayed;
  forecast.replay_of = replay_of_;
  forecast.limits_before = program.limits;

  const TaskGraph& changed = plan->graph();
  Schedule schedule = any ? Simulate(changed) : program.replay;
  const auto length = [&](const TaskGraph& graph, const Schedule& of, const Steps& steps) {
    const DurationNs one = LengthOf(bench_.unit(), SpansOf(graph, of, steps, bench_.unit()));
    return static_cast<DurationNs>(static_cast<double>(Corrected(program, one)) * plan->repeats() +
                                   0.5);
  };
  const auto time = [&](const Schedule& of) {
    return any ? length(changed, of, steps_) : measured_;
  };
  Describe(*plan, forecast);
  forecast.between =
      BetweenAfter(bench_.unit(), SpansOf(*program.graph, program.replay, steps_, bench_.unit()),
                   SpansOf(changed, schedule, steps_, bench_.unit()));
  forecast.floor = FloorOf(*plan);
  forecast.forecast = std::max(time(schedule), forecast.floor);
  const std::vector<CriticalPath> paths = PathsOf(changed, schedule);
  forecast.limits_after = LimitsOf(changed, plan->facts(), paths);
  AddOneTime(program, forecast.limits_after);
  CountDevice(*plan, forecast);
  const auto measured = static_cast<DurationNs>(static_cast<double>(measured_) * plan->repeats());
  const PathDoubts doubts = doubts_.Find(changed, paths);
  TwoReadings readings;
  forecast.trust = trust_;
  if (any) {
    readings = TwoReadingsOf({changed, schedule, paths, plan->in_unit(), bench_.unit(), steps_,
                              measured, forecast.forecast, length},
                             trust_, doubts, doubts_);
    forecast.uncertainty.other_company = OtherCompany(*plan, schedule, paths, forecast);
    forecast.trust = TrustOfForecast(trust_, doubts, readings, forecast.uncertainty.other_company,
                                     forecast.forecast);
  }
  SetRange(
      program, *plan, paths,
      [&](const Overlay& costs) { return any ? time(Simulate(changed, costs)) : measured_; },
      forecast);
  HoldBothReadings(readings, measured, forecast);
  KeepAboveFloor(*plan, readings.rank_apart, forecast);
  DoubtWideRange({forecast.fast, forecast.slow_if_loader_keeps_up}, forecast.forecast,
                 forecast.trust);
  if (after != nullptr) *after = {changed, std::move(schedule)};
  return forecast;
}

}  // namespace xsp
