#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/trust/trust.h"
#include "graph/unit/unit_bench.h"
#include "hierarchy/hierarchy.h"
#include "sim/best_case.h"
#include "sim/likely_range.h"
#include "sim/plan/plan.h"
#include "sim/two_readings.h"
#include "sim/whatif.h"

namespace xsp {

// A part of what a unit waits for: pieces of the critical path of one kind and
// name, as `xsp critical-path` counts them.
struct Limit {
  PathKind kind = PathKind::kStart;
  std::string name;  // Of a kernel's class, a copy's direction, a call; empty for gaps.
  DurationNs ns = 0;
};

// Device work of one class.
struct ClassTime {
  KernelClass kernel_class = KernelClass::kOther;
  DurationNs before = 0;
  DurationNs after = 0;
};

// What would change if. Times are of one unit: a mean step, or the GPU span.
struct Forecast {
  std::vector<std::string> whatifs;  // "--amp=fp16"; in the order in which they took effect.
  bool applies = true;
  std::string reason;  // Why not; of the first that does not apply. Empty where all do.

  DurationNs measured = 0;
  DurationNs replayed = 0;   // The unchanged program, simulated: a run of few steps,
  DurationNs replay_of = 0;  // and how long these took as measured.
  // The changed program: the measured time and what the simulation gains or loses. Then where it
  // lies 8 times in 10 (likely_range.h), and what no change of this kind can beat (best_case.h).
  DurationNs forecast = 0;
  DurationNs fast = 0;
  DurationNs slow = 0;
  // The slow end if data loaders keep up. Where one was never waited for, nothing tells how fast it
  // can be: `slow` then has it as slow as the steps were.
  DurationNs slow_if_loader_keeps_up = 0;
  DurationNs bound = 0;
  DurationNs between = 0;   // What then lies between steps, for each of them.
  Uncertainty uncertainty;  // What the range was made from.
  Trust trust;              // In this forecast: no more than in the graph.
  // Durations only: the measured time, with what the changes take less taken
  // off it.
  DurationNs naive = 0;
  std::optional<DurationNs> classic;  // By the paper's rule on the paper's graph, where asked for.
  // What the devices have to do takes at least this, in whatever order; no more than `measured`.
  DurationNs floor = 0;
  // How much more work a unit does than before: with a batch twice as large, 2.
  double work = 1;

  DurationNs device_before = 0, device_after = 0;  // Sum of all device work.
  std::vector<ClassTime> classes;                  // The same by class, the longest first.
  std::vector<PlannedChange> changes;
  std::vector<Limit> limits_before;    // What the unit waits for: sums to `replayed`;
  std::vector<Limit> limits_after;     // sums to the simulated time after.
  std::optional<double> memory_bytes;  // That the peak of device memory gains.

  std::uint8_t evidence = 0;
  std::vector<std::string> assumptions;
  std::vector<std::string> surer;  // What would make it surer.
  std::vector<std::string> cautions;

  double ReplayError() const;
  // By how much the typical step is longer than those that are simulated: nobody knows what the
  // change does to that.
  DurationNs OtherSteps() const { return measured - replay_of; }
  // Above 1: faster, by work done per time.
  double Speedup() const { return SpeedupAt(forecast); }
  double SpeedupLow() const { return SpeedupAt(slow); }
  double SpeedupHigh() const { return SpeedupAt(fast); }
  double SpeedupAt(DurationNs time) const;
};

struct WorkbenchOptions {
  PeakOverrides peaks;
  // How long a unit takes without the profiler: the host's side is scaled to
  // it.
  std::optional<DurationNs> unprofiled;
};

// Where forecasts of one trace are made: the part of the run that the unit is
// simulated on, what is known of its work, and the unchanged simulation. Made
// once; any number of forecasts, from several threads at once, do not change
// it. What it is made from must outlive it.
class Workbench {
 public:
  Workbench(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit,
            const WorkbenchOptions& options = {});
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  const Unit& unit() const { return bench_.unit(); }
  const MachineFacts& machine() const { return machine_; }
  // What is simulated.
  const TaskGraph& graph() const { return *recorded_.graph; }
  const WorkFacts& facts() const { return facts_; }
  // Whether a task of it belongs to the unit.
  bool IsInUnit(TaskId task) const { return in_unit_[task] != 0; }
  DurationNs replayed() const { return recorded_.replayed; }
  // How far any forecast can be trusted at most.
  const Trust& trust() const { return trust_; }
  // By how much host times were multiplied to meet the unprofiled unit; 1: they
  // were not.
  double host_factor() const { return host_factor_; }

  // A program that nothing has changed yet.
  std::unique_ptr<Plan> NewPlan() const;

  // The same by the paper's rules on the paper's graph (classic.h), as a factor
  // on the measured time. Nothing where one of the what-ifs has no such rule,
  // or does not apply.
  std::optional<DurationNs> RunClassic(std::span<const ChosenWhatIf> whatifs) const;

  // A graph and its simulation, for a timeline.
  struct Simulated {
    TaskGraph graph;
    Schedule schedule;
  };
  // Applies the what-ifs, each in its turn (whatif.h): their order here does not matter. One that
  // does not apply is left out, and the forecast says so; where none does, the forecast is that
  // nothing changes.
  Forecast Run(std::span<const ChosenWhatIf> whatifs, Simulated* after = nullptr) const;
  Simulated Unchanged() const { return {*recorded_.graph, recorded_.replay}; }

 private:
  // A program that changes are made to, simulated unchanged.
  struct Program {
    const TaskGraph* graph = nullptr;
    Schedule replay;
    DurationNs replayed = 0;
    std::vector<Limit> limits;
  };

  Program Replayed(const TaskGraph& graph) const;
  const Program& ProgramFor(std::span<const ChosenWhatIf> whatifs) const;
  void ScaleHost(DurationNs unprofiled);
  void CountDevice(const Plan& plan, Forecast& forecast) const;
  // `costs`: other ones than the plan's.
  DurationNs FloorOf(const Plan& plan, const Overlay& costs = {}) const;
  std::vector<CriticalPath> PathsOf(const TaskGraph& graph, const Schedule& schedule) const;
  std::vector<Limit> LimitsOf(const TaskGraph& graph, const WorkFacts& facts,
                              const std::vector<CriticalPath>& paths) const;
  // What happens only once takes the same before and after: a row of both.
  void AddOneTime(const Program& program, std::vector<Limit>& limits) const;
  void SetRange(const Program& program, const Plan& plan, const std::vector<CriticalPath>& paths,
                const std::function<DurationNs(const Overlay&)>& time, Forecast& forecast) const;
  // What kernels on the path may take less or more with the company that they have now.
  DurationNs OtherCompany(const Plan& plan, const Schedule& schedule,
                          const std::vector<CriticalPath>& paths, const Forecast& forecast) const;
  // Neither end of a range is below what devices have to do, nor a best case above its fast end.
  // `rank_apart`: a step of a rank that goes on by itself; 0: none does.
  void KeepAboveFloor(const Plan& plan, DurationNs rank_apart, Forecast& forecast) const;
  DurationNs Corrected(const Program& program, DurationNs simulated) const;
  void Describe(const Plan& plan, Forecast& forecast) const;

  const UnitBench bench_;
  const Steps& steps_;
  TaskGraph scaled_;  // Where host times were scaled.
  TaskGraph without_one_time_, with_memory_only_;
  // As it was recorded, and without what happens only once: no change gains from that, unless it is
  // about just that. Of that, the last one has what calls for memory do. These have no graph where
  // they would be the same.
  Program recorded_, warm_, memory_;
  WorkFacts facts_;
  MachineFacts machine_;
  PerTask<std::uint8_t> in_unit_;  // Per task: whether it belongs to the unit.
  DurationNs measured_ = 0;
  DurationNs replay_of_ = 0;  // What the simulated run took as measured.
  double host_factor_ = 1;
  Trust trust_;
  PathDoubtFinder doubts_;
  KernelsAlone alone_;
};

}  // namespace xsp
