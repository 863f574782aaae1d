#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/unit/unit.h"
#include "sim/edit/edit.h"
#include "sim/models/machine_facts.h"
#include "sim/models/matrix_model.h"
#include "sim/models/work_facts.h"
#include "sim/plan/selector.h"

namespace xsp {

// What a forecast rests on. Bits: a what-if may have several.
enum Evidence : std::uint8_t {
  kStructural = 1,  // Waits that were seen go away: bounded by what the trace shows.
  kScaling = 2,     // Work that was measured takes another time, by a factor.
  kInserted = 4,    // Work that never ran is put in, by a model.
};
std::string EvidenceWords(std::uint8_t evidence);  // "scaling, inserted".

// One row of "what changes": work of one kind, as it was and as it will be.
struct PlannedChange {
  std::string what;      // "GEMM fp32 -> tensor cores".
  std::string selector;  // Which work: "class=gemm, precision=fp32".
  // Over all steps of the unit.
  std::uint32_t removed = 0;   // Operations (calls, where it is about calls) that go,
  std::uint32_t inserted = 0;  // come,
  std::uint32_t changed = 0;   // or take another time.
  DurationNs device_before = 0, device_after = 0;
  DurationNs host_before = 0, host_after = 0;
};
using ChangeId = std::uint32_t;

// A kernel to be put in.
struct NewKernel {
  std::string name;
  KernelKind kind;
  TimeEstimate ns;
  std::uint32_t stream = 0;
};

// What would happen if the plan were carried out as it is by now.
class Trial {
 public:
  explicit Trial(EditedGraph edited) : edited_(std::move(edited)), schedule_(edited_.Simulate()) {}

  // By the numbers that the plan's tasks have; unknown for what was removed.
  SimTime Begin(TaskId task) const { return At(schedule_.begin, task); }
  SimTime Finish(TaskId task) const { return At(schedule_.finish, task); }

 private:
  SimTime At(const std::vector<SimTime>& times, TaskId task) const {
    const TaskId place = edited_.PlaceOf(task);
    return place.valid() ? times[place.value] : SimTime::BeforeAll();
  }
  EditedGraph edited_;
  Schedule schedule_;
};

// A program while what-ifs change it, one after the other: its graph, what is
// known of its tasks, and the books of what has been changed. A what-if selects
// tasks and applies primitives to them; each primitive names the row of the
// table "what changes" to which it belongs.
//
// Tasks have the numbers of the graph as it was when the what-if began
// (graph()); what is put in has numbers behind those. The changes take effect
// when the next what-if begins (Commit).
class Plan {
 public:
  // `graph`: the part of a run that the unit is simulated on. Everything must
  // outlive the plan. `in_unit`: per task, whether it belongs to the unit; the
  // steps that fill the pipeline do not.
  Plan(const TaskGraph& graph, WorkFacts facts, MachineFacts machine, const Unit& unit,
       const Steps& steps, PerTask<std::uint8_t> in_unit);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // --- What is there.
  const TaskGraph& graph() const { return *graph_; }
  const WorkFacts& facts() const { return facts_; }
  const MachineFacts& machine() const { return machine_; }
  const Unit& unit() const { return unit_; }
  const Steps& steps() const { return steps_; }  // Of the whole trace.
  // How many steps are simulated, those that fill the pipeline included; 1 for
  // a span.
  std::uint32_t step_count() const;

  // All tasks that fit and have not been removed, in the order of their
  // numbers.
  // Whoever asks for the critical path gets that of the graph as it was when the what-if began.
  std::vector<TaskId> Select(const Selector& selector) const;
  // The kernels that the calls of one thread issue, thread by thread in program
  // order.
  std::vector<TaskId> KernelsInOrder() const;
  TaskId CallOf(TaskId op) const { return graph_->CallOf(op); }
  // As it is by now.
  DurationNs Own(TaskId task) const { return edit_->Own(task); }
  DurationNs Gap(TaskId host) const { return edit_->Gap(host); }
  // What the producer of a load takes for a batch; 0 for all that do not wait for one.
  DurationNs BatchTime(TaskId task) const;

  // --- Primitives.
  ChangeId AddChange(std::string what, std::string selector);

  // The task takes `factor` of its time: a kernel, a copy, a call without what
  // it waits for; a load that waits for its producer: what that takes for a batch.
  void Scale(TaskId task, double factor, ChangeId change);
  void SetDuration(TaskId task, TimeEstimate ns, ChangeId change);
  // What a call costs that issues work which has changed: its time belongs to the row, but it is
  // not one more of what the row counts.
  void SetCallCost(TaskId call, DurationNs own, ChangeId change);
  // The untraced host time before a task.
  void SetGap(TaskId host, DurationNs gap, ChangeId change);

  // A kernel with its launch and the host cost of a whole operation of this
  // trace, behind or before a host task. Gives back the kernel.
  TaskId InsertKernelAfter(TaskId host, const NewKernel& kernel, ChangeId change);
  TaskId InsertKernelBefore(TaskId host, const NewKernel& kernel, ChangeId change);
  // One more kernel of a call that is there, such as a node of a graph: no host
  // cost.
  TaskId IssueKernel(TaskId call, const NewKernel& kernel, ChangeId change);
  // Host work, with what it asks of the device; see GraphEdit for questions.
  TaskId InsertCallAfter(TaskId host, NewCall call, ChangeId change);
  TaskId InsertCallBefore(TaskId host, NewCall call, ChangeId change);
  // Any other operation of a call that is there, by the edit's own description.
  TaskId IssueOp(TaskId call, NewOp op, const KernelKind& kind, ChangeId change);

  // The operation, its launch, and the host time of the operation that made it.
  void RemoveWithHost(TaskId op, ChangeId change);
  // Only the work: the call stays and issues one operation less.
  void RemoveWork(TaskId op, ChangeId change);
  // A call with all that it issues; the untraced time before it stays.
  void RemoveCall(TaskId call, ChangeId change);

  // The kernel multiplies another format from now on; for what-ifs that come
  // after.
  void SetPrecision(TaskId op, Precision precision, bool tensor_cores);

  // A latency that all edges of a kind have, by its name in `xsp graph`, takes `factor` of its
  // time. False where the graph has no such latency.
  bool Retime(std::string_view constant, double factor, ChangeId change);
  // A channel does one operation at a time, of those that are ready the one with the highest
  // priority. Those of one name are one.
  void PutOnChannel(TaskId op, const std::string& channel, std::int32_t priority, ChangeId change);

  // Everything else: streams, events, collectives, threads, questions. Costs
  // belong into the primitives above, so that the books are right; `Touch`
  // tells them of what changed otherwise.
  GraphEdit& edit() { return *edit_; }
  void Touch(TaskId task, ChangeId change);

  // For what-ifs that must know who runs beside whom; costs a simulation.
  Trial Try() const { return Trial(edit_->Build()); }
  // How long a unit would take if `change` were made on top of the plan, which stays as it is.
  DurationNs TryLength(const std::function<void(GraphEdit&)>& change) const;

  // --- What is to be said with the forecast.
  void Assume(std::string assumption);
  void MakesSurer(std::string what);
  void Caution(std::string what);
  void RestsOn(std::uint8_t evidence) { evidence_ |= evidence; }
  // The step does so much more (or less) work than before: a batch twice as
  // large is 2.
  void MultiplyWork(double factor) { work_ *= factor; }
  // The unit holds so many of what it held before, one after the other, as micro-batches of a step
  // do: its time is so many times what is simulated, and so is its work.
  void RepeatUnit(double times) { repeats_ *= times, work_ *= times; }
  // Device memory that the peak gains (or loses).
  void AddMemory(double bytes) {
    memory_bytes_ += bytes;
    has_memory_ = true;
  }

  // --- For whoever runs what-ifs (forecast.h).
  // The changes so far become the graph that the next what-if sees.
  void Commit();
  // After the last Commit: costs when all estimates are fast, slow, or
  // everything touched is free.
  Overlay Fast() const;
  Overlay Slow(bool loaders_keep_up) const;
  Overlay Free() const;

  const std::vector<PlannedChange>& changes() const { return changes_; }
  const std::vector<std::string>& assumptions() const { return assumptions_; }
  const std::vector<std::string>& surer() const { return surer_; }
  const std::vector<std::string>& cautions() const { return cautions_; }
  std::uint8_t evidence() const { return evidence_; }
  double work() const { return work_; }
  double repeats() const { return repeats_; }
  bool has_memory() const { return has_memory_; }
  double memory_bytes() const { return memory_bytes_; }

  // Whether a task counts for the unit; of all tasks of graph().
  bool Counts(TaskId task) const;
  const PerTask<std::uint8_t>& in_unit() const { return in_unit_; }

 private:
  struct Range {
    DurationNs fast, slow;
  };
  bool IsNew(TaskId task) const { return task.value >= graph_->task_count(); }
  bool IsHost(TaskId task) const { return edit_->IsHost(task); }
  WorkFact& FactOf(TaskId task);
  // Facts of a task that was put in, where its neighbour lies.
  void AddFact(TaskId beside, std::string_view name, const KernelKind& kind);
  void SetBatchTime(TaskId load, TimeEstimate ns, ChangeId change);
  void Account(TaskId task, ChangeId change, DurationNs before, DurationNs after);
  const PerTask<std::uint8_t>& OnPath() const;
  // What the books say that a call took: as measured, waits included, where that is known.
  DurationNs Taken(TaskId call) const;
  TaskId InsertKernel(TaskId launch, const NewKernel& kernel, ChangeId change);
  NewCall LaunchBeside(TaskId host);
  void TouchTask(TaskId task);
  Overlay With(DurationNs Range::*bound) const;
  template <class T>
  void Carry(const EditedGraph& edited, std::unordered_map<TaskId, T>& map) const;

  std::unique_ptr<const TaskGraph> committed_;  // What the last commit made.
  const TaskGraph* graph_;
  const std::uint64_t first_count_;  // Of its tasks, before all commits.
  WorkFacts facts_;
  MachineFacts machine_;
  const Unit& unit_;
  const Steps& steps_;
  std::optional<GraphEdit> edit_;
  PerTask<std::uint8_t> in_unit_;
  std::vector<WorkFact> new_facts_;        // Of what is put in, in the order of coming,
  std::vector<std::uint8_t> new_in_unit_;  // and whether it counts for the unit.
  std::vector<PlannedChange> changes_;
  // By task: those whose time is not certain, and all that were touched (bits:
  // 1 its own time, 2 the untraced time before it). Numbers as in graph_,
  // handed on by Commit.
  std::unordered_map<TaskId, Range> ranges_;
  std::unordered_map<TaskId, std::uint8_t> touched_;
  std::unordered_map<std::string, std::uint32_t> channels_;  // Rows, by name.
  mutable PerTask<std::uint8_t> on_path_;  // Per task of graph_; empty: nobody has asked yet.
  std::vector<std::string> assumptions_, surer_, cautions_;
  std::uint8_t evidence_ = 0;
  double work_ = 1;
  double repeats_ = 1;
  double memory_bytes_ = 0;
  bool has_memory_ = false;
};

}  // namespace xsp
