#include "sim/plan/plan.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/readings/critical_path.h"

namespace xsp {
namespace {

constexpr std::uint8_t kOwnTouched = 1;
constexpr std::uint8_t kGapTouched = 2;

DurationNs Rounded(double ns) { return static_cast<DurationNs>(ns + 0.5); }

void AddOnce(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

std::string EvidenceWords(std::uint8_t evidence) {
  constexpr std::pair<Evidence, std::string_view> kWords[] = {
      {kStructural, "structural"}, {kScaling, "scaling"}, {kInserted, "inserted"}};
  std::string text;
  for (const auto& [bit, word] : kWords) {
    if ((evidence & bit) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

Plan::Plan(const TaskGraph& graph, WorkFacts facts, MachineFacts machine, const Unit& unit,
           const Steps& steps, PerTask<std::uint8_t> in_unit)
    : graph_(&graph),
      first_count_(graph.task_count()),
      facts_(std::move(facts)),
      machine_(std::move(machine)),
      unit_(unit),
      steps_(steps),
      edit_(std::in_place, graph),
      in_unit_(std::move(in_unit)) {}

std::uint32_t Plan::step_count() const { return unit_.is_step ? unit_.step_count + unit_.fill : 1; }

// --- What is there.

std::vector<TaskId> Plan::Select(const Selector& selector) const {
  static const PerTask<std::uint8_t> kNoPath;
  const SelectorInput input{*graph_, facts_, selector.NeedsPath() ? OnPath() : kNoPath};
  std::vector<TaskId> tasks = selector.Chosen(input);
  std::erase_if(tasks, [&](TaskId task) { return edit_->IsRemoved(task); });
  return tasks;
}

const PerTask<std::uint8_t>& Plan::OnPath() const {
  if (!on_path_.empty()) return on_path_;
  on_path_.resize(graph_->task_count());
  const Schedule schedule = Simulate(*graph_);
  const std::vector<SimSpan> spans = SpansOf(*graph_, schedule, steps_, unit_);
  for (const CriticalPath& path : FindCriticalPaths(*graph_, schedule, spans)) {
    for (const PathSegment& piece : path.segments) {
      if (piece.task.valid()) on_path_[piece.task] = 1;
    }
  }
  return on_path_;
}

std::vector<TaskId> Plan::KernelsInOrder() const {
  std::vector<TaskId> kernels;
  for (TaskId host : graph_->host_tasks()) {
    for (TaskId op : graph_->OpsOf(host)) {
      const bool is_kernel = graph_->kind[op] == TaskKind::kKernel;
      if (is_kernel && !edit_->IsRemoved(op)) kernels.push_back(op);
    }
  }
  return kernels;
}

bool Plan::Counts(TaskId task) const {
  return (IsNew(task) ? new_in_unit_[task.value - graph_->task_count()] : in_unit_[task]) != 0;
}

DurationNs Plan::TryLength(const std::function<void(GraphEdit&)>& change) const {
  GraphEdit trial = *edit_;
  change(trial);
  const EditedGraph edited = trial.Build();
  return LengthOf(unit_, SpansOf(edited.graph(), edited.Simulate(), steps_, unit_));
}

// --- Books.

WorkFact& Plan::FactOf(TaskId task) {
  return IsNew(task) ? new_facts_[task.value - graph_->task_count()] : facts_.of_task[task];
}

void Plan::AddFact(TaskId beside, std::string_view name, const KernelKind& kind) {
  WorkFact fact = FactOf(beside);
  fact.kind = kind;
  fact.name = facts_.names.Add(name);
  fact.operation_range = {};
  const bool counts = Counts(beside);
  new_facts_.push_back(fact);
  new_in_unit_.push_back(counts ? 1 : 0);
}

void Plan::TouchTask(TaskId task) { touched_[task] |= kOwnTouched; }

void Plan::Touch(TaskId task, ChangeId change) {
  TouchTask(task);
  if (Counts(task)) ++changes_[change].changed;
}

void Plan::Account(TaskId task, ChangeId change, DurationNs before, DurationNs after) {
  if (!Counts(task)) return;
  PlannedChange& row = changes_[change];
  (IsHost(task) ? row.host_before : row.device_before) += before;
  (IsHost(task) ? row.host_after : row.device_after) += after;
}

ChangeId Plan::AddChange(std::string what, std::string selector) {
  PlannedChange change;
  change.what = std::move(what);
  change.selector = std::move(selector);
  changes_.push_back(std::move(change));
  return static_cast<ChangeId>(changes_.size() - 1);
}

// --- Primitives.

DurationNs Plan::BatchTime(TaskId task) const {
  const GraphBatch* batch = IsNew(task) ? nullptr : graph_->BatchOf(task);
  return batch == nullptr || batch->is_bound ? 0 : edit_->Interval(task) / batch->back;
}

void Plan::Scale(TaskId task, double factor, ChangeId change) {
  const DurationNs batch = BatchTime(task);
  if (batch == 0)
    edit_->SetInterval(task, Rounded(static_cast<double>(edit_->Interval(task)) * factor));
  TimeEstimate ns;
  ns.ns = ns.fast_ns = ns.slow_ns = static_cast<double>(batch > 0 ? batch : Own(task)) * factor;
  if (const auto it = ranges_.find(task); it != ranges_.end()) {
    ns.fast_ns = static_cast<double>(it->second.fast) * factor;
    ns.slow_ns = static_cast<double>(it->second.slow) * factor;
  }
  SetDuration(task, ns, change);
}

void Plan::SetDuration(TaskId task, TimeEstimate ns, ChangeId change) {
  if (BatchTime(task) > 0) return SetBatchTime(task, ns, change);
  const DurationNs before = Own(task);
  Account(task, change, before, Rounded(ns.ns));
  if (Counts(task)) ++changes_[change].changed;
  edit_->SetOwn(task, Rounded(ns.ns));
  TouchTask(task);
  ranges_[task] = {Rounded(ns.fast_ns), Rounded(ns.slow_ns)};
}

void Plan::SetCallCost(TaskId call, DurationNs own, ChangeId change) {
  Account(call, change, Own(call), own);
  edit_->SetOwn(call, own);
  TouchTask(call);
}

// What the load itself does with a batch stays. The books know it by what it took, waiting
// included.
void Plan::SetBatchTime(TaskId load, TimeEstimate ns, ChangeId change) {
  const double factor = ns.ns / static_cast<double>(BatchTime(load));
  const DurationNs taken = Taken(load);
  Account(load, change, taken, Rounded(static_cast<double>(taken) * factor));
  if (Counts(load)) ++changes_[change].changed;
  edit_->SetInterval(load, Rounded(ns.ns * graph_->BatchOf(load)->back));
  TouchTask(load);
  ranges_[load] = {Rounded(ns.fast_ns), Rounded(ns.slow_ns)};
}

void Plan::SetGap(TaskId host, DurationNs gap, ChangeId change) {
  Account(host, change, Gap(host), gap);
  edit_->SetGap(host, gap);
  touched_[host] |= kGapTouched;
}

NewCall Plan::LaunchBeside(TaskId host) {
  NewCall call;
  call.label = "cudaLaunchKernel";
  call.own = machine_.launch_own;
  call.gap =
      std::max<DurationNs>(0, machine_.OperationHost(FactOf(host).phase) - machine_.launch_own);
  return call;
}

TaskId Plan::InsertKernel(TaskId launch, const NewKernel& kernel, ChangeId change) {
  Account(launch, change, 0, Own(launch) + Gap(launch));
  touched_[launch] |= kOwnTouched | kGapTouched;
  return IssueKernel(launch, kernel, change);
}

TaskId Plan::InsertKernelAfter(TaskId host, const NewKernel& kernel, ChangeId change) {
  const NewCall call = LaunchBeside(host);
  AddFact(host, call.label, {});
  return InsertKernel(edit_->InsertAfter(host, call), kernel, change);
}

TaskId Plan::InsertKernelBefore(TaskId host, const NewKernel& kernel, ChangeId change) {
  const NewCall call = LaunchBeside(host);
  AddFact(host, call.label, {});
  return InsertKernel(edit_->InsertBefore(host, call), kernel, change);
}

TaskId Plan::IssueKernel(TaskId call, const NewKernel& kernel, ChangeId change) {
  NewOp op;
  op.label = kernel.name;
  op.duration = Rounded(kernel.ns.ns);
  op.stream = kernel.stream;
  const TaskId task = IssueOp(call, std::move(op), kernel.kind, change);
  ranges_[task] = {Rounded(kernel.ns.fast_ns), Rounded(kernel.ns.slow_ns)};
  return task;
}

TaskId Plan::IssueOp(TaskId call, NewOp op, const KernelKind& kind, ChangeId change) {
  AddFact(call, op.label, kind);
  const DurationNs duration = op.duration;
  const TaskId task = edit_->Issue(call, std::move(op));
  Account(task, change, 0, duration);
  if (Counts(task)) ++changes_[change].inserted;
  TouchTask(task);
  return task;
}

TaskId Plan::InsertCallAfter(TaskId host, NewCall call, ChangeId change) {
  AddFact(host, call.label, {});
  const TaskId task = edit_->InsertAfter(host, std::move(call));
  Account(task, change, 0, Own(task) + Gap(task));
  touched_[task] |= kOwnTouched | kGapTouched;
  return task;
}

TaskId Plan::InsertCallBefore(TaskId host, NewCall call, ChangeId change) {
  AddFact(host, call.label, {});
  const TaskId task = edit_->InsertBefore(host, std::move(call));
  Account(task, change, 0, Own(task) + Gap(task));
  touched_[task] |= kOwnTouched | kGapTouched;
  return task;
}

void Plan::RemoveWithHost(TaskId op, ChangeId change) {
  const TaskId call = CallOf(op);
  const bool is_alone = graph_->OpsOf(call).size() == 1;
  if (!is_alone) return RemoveWork(op, change);
  // The untraced time that led to the launch is the operation's; a far longer
  // one is something else that happened to come before it.
  const DurationNs whole = machine_.OperationHost(FactOf(call).phase);
  const DurationNs typical = std::max<DurationNs>(0, whole - machine_.launch_own);
  const DurationNs gap = Gap(call);
  const DurationNs kept = gap > 4 * typical ? gap - typical : 0;
  SetGap(call, kept, change);
  RemoveCall(call, change);
}

void Plan::RemoveWork(TaskId op, ChangeId change) {
  Account(op, change, Own(op), 0);
  if (Counts(op)) ++changes_[change].removed;
  edit_->RemoveWork(op);
}

DurationNs Plan::Taken(TaskId call) const {
  const bool is_measured = !IsNew(call) && !graph_->IsNew(call) && graph_->is_measured;
  return is_measured ? std::max(Own(call), graph_->measured(call)) : Own(call);
}

void Plan::RemoveCall(TaskId call, ChangeId change) {
  Account(call, change, Taken(call), 0);
  bool has_ops = false;
  for (TaskId op : graph_->OpsOf(call)) {
    if (edit_->IsRemoved(op) || edit_->CallOf(op) != call) continue;
    Account(op, change, Own(op), 0);
    if (Counts(op)) ++changes_[change].removed;
    has_ops = true;
  }
  if (!has_ops && Counts(call)) ++changes_[change].removed;
  edit_->RemoveCall(call);
}

bool Plan::Retime(std::string_view constant, double factor, ChangeId change) {
  const std::vector<Constant>& all = graph_->constants.all();
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Constant& known) { return known.name == constant; });
  if (it == all.end()) return false;
  const auto id = static_cast<ConstantId>(it - all.begin());
  edit_->Retime(id, Rounded(static_cast<double>(graph_->lag(id)) * factor));
  ++changes_[change].changed;
  return true;
}

void Plan::PutOnChannel(TaskId op, const std::string& channel, std::int32_t priority,
                        ChangeId change) {
  const auto [it, is_new] = channels_.emplace(channel, 0);
  if (is_new) it->second = edit_->AddChannel(channel);
  edit_->JoinChannel(op, it->second, priority);
  Touch(op, change);
}

void Plan::SetPrecision(TaskId op, Precision precision, bool tensor_cores) {
  KernelKind& kind = FactOf(op).kind;
  kind.precision = precision;
  kind.tensor_cores = tensor_cores ? TensorCores::kYes : kind.tensor_cores;
}

// --- What is to be said.

void Plan::Assume(std::string assumption) { AddOnce(assumptions_, std::move(assumption)); }
void Plan::MakesSurer(std::string what) { AddOnce(surer_, std::move(what)); }
void Plan::Caution(std::string what) { AddOnce(cautions_, std::move(what)); }

// --- Commit.

template <class T>
void Plan::Carry(const EditedGraph& edited, std::unordered_map<TaskId, T>& map) const {
  std::unordered_map<TaskId, T> carried;
  for (const auto& [task, value] : map) {
    const TaskId place = edited.PlaceOf(task);
    if (place.valid()) carried.emplace(place, value);
  }
  map = std::move(carried);
}

void Plan::Commit() {
  // Each of many what-ifs can put in as much again as there is.
  constexpr std::uint64_t kMostPerTask = 64, kFree = 1'000'000;
  if (graph_->task_count() + new_facts_.size() > kMostPerTask * first_count_ + kFree) {
    throw Error("these what-ifs make more than " + std::to_string(kMostPerTask) +
                " tasks out of each that was recorded");
  }
  const EditedGraph edited = edit_->Build();
  auto next = std::make_unique<const TaskGraph>(edited.Whole());
  PerTask<WorkFact> facts(next->task_count());
  PerTask<std::uint8_t> in_unit(next->task_count());
  const std::uint32_t old_count = graph_->task_count();
  for (TaskId task : TaskRange{TaskId(0), TaskId(old_count + new_facts_.size())}) {
    const TaskId place = edited.PlaceOf(task);
    if (!place.valid()) continue;
    const bool is_old = task.value < old_count;
    facts[place] = is_old ? facts_.of_task[task] : new_facts_[task.value - old_count];
    in_unit[place] = is_old ? in_unit_[task] : new_in_unit_[task.value - old_count];
  }
  facts_.of_task = std::move(facts);
  in_unit_ = std::move(in_unit);
  Carry(edited, ranges_);
  Carry(edited, touched_);
  new_facts_.clear();
  new_in_unit_.clear();
  on_path_.clear();
  edit_.emplace(*next);
  committed_ = std::move(next);
  graph_ = committed_.get();
}

Overlay Plan::With(DurationNs Range::*bound) const {
  Overlay overlay;
  overlay.own = graph_->own;
  for (const auto& [task, range] : ranges_) {
    const GraphBatch* batch = graph_->BatchOf(task);
    if (batch != nullptr && !batch->is_bound) {
      overlay.SetInterval(*graph_, task, range.*bound * batch->back);
    } else {
      overlay.own[task] = range.*bound;
    }
  }
  return overlay;
}

Overlay Plan::Fast() const { return With(&Range::fast); }
Overlay Plan::Slow(bool loaders_keep_up) const {
  Overlay overlay = With(&Range::slow);
  overlay.slow_producers = !loaders_keep_up;
  return overlay;
}

Overlay Plan::Free() const {
  Overlay overlay;
  overlay.own = graph_->own;
  overlay.gap = graph_->gap;
  for (const auto& [task, what] : touched_) {
    if ((what & kOwnTouched) != 0) {
      overlay.own[task] = 0;
      overlay.SetInterval(*graph_, task, 0);
    }
    if ((what & kGapTouched) != 0) overlay.gap[task] = 0;
  }
  return overlay;
}

}  // namespace xsp
