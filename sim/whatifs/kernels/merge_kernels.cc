#include <algorithm>
#include <string>
#include <vector>

#include "graph/call_class.h"
#include "model/names/communication.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/reads.h"
#include "sim/whatifs/kernels/rewrite.h"

// Small kernels of one name that follow each other become one, which does the work of all: the
// launches and what a kernel takes at least are paid once. What each of them is given, a little
// memory from a pool and a small copy, goes with it.
namespace xsp {
namespace {

constexpr WhatIfOption kMergeOptions[] = {
    {"most", "100us", "up to which time a kernel counts as small"},
    {"least", "4", "kernels that must follow each other to be worth it"}};

class MergeKernels {
 public:
  MergeKernels(Plan& plan, DurationNs most, std::size_t least)
      : plan_(plan), graph_(plan.graph()), most_(most), least_(std::max<std::size_t>(2, least)) {}

  // Kernels of one name, in order, and what stands between them.
  struct Run {
    std::vector<TaskId> kernels;
    std::vector<TaskId> given;  // Calls behind the first kernel and before the last one.
  };

  Applied Apply() {
    for (const GraphThread& thread : graph_.threads) {
      for (TaskId host : thread.tasks()) Visit(host);
      Close();
    }
    if (!is_in_unit_) return Applied::No("no small kernels of one name follow each other");
    change_ = plan_.AddChange("small kernels → one for each run of them", "kind=kernel, small");
    for (const Run& run : runs_) Merge(run);
    plan_.RestsOn(kStructural | kScaling);
    plan_.Assume("one kernel does the work of a run of equal ones, one after the other or at once");
    plan_.Caution("kernels that need each other's results must be joined by a loop inside");
    return Applied::Yes();
  }

 private:
  void Visit(TaskId host) {
    if (IsSmallKernel(host)) {
      const TaskId op = graph_.OpsOf(host).front();
      if (!open_.kernels.empty() && !Continues(op)) Close();
      open_.kernels.push_back(op);
      open_.given.insert(open_.given.end(), pending_.begin(), pending_.end());
      pending_.clear();
    } else if (IsGiven(host)) {
      if (!open_.kernels.empty()) pending_.push_back(host);
    } else if (!IsHarmless(host)) {
      Close();
    }
  }

  // Memory from a pool and back, small copies to the device that hold nobody.
  bool IsGiven(TaskId host) const {
    if (graph_.kind[host] != TaskKind::kCall || IsWait(graph_.question[host].ask)) return false;
    const TaskRange ops = graph_.OpsOf(host);
    if (ops.empty()) return ClassOfCall(plan_.facts().Name(host)) == CallClass::kPool;
    constexpr std::uint64_t kSmall = 64 << 10;
    return ops.size() == 1 && graph_.op_class[graph_.RowOf(ops.front())] == OpClass::kHtoD &&
           graph_.event[ops.front()].valid() && CopyBytes(graph_, ops.front()) <= kSmall;
  }

  // Whatever waits or orders ends a run; questions about devices do not.
  bool IsHarmless(TaskId host) const {
    return graph_.kind[host] == TaskKind::kCall && graph_.OpsOf(host).empty() &&
           graph_.question[host].ask == Ask::kNothing &&
           ClassOfCall(plan_.facts().Name(host)) == CallClass::kOther;
  }

  bool IsSmallKernel(TaskId host) const {
    const TaskRange ops = graph_.OpsOf(host);
    if (ops.size() != 1 || IsWait(graph_.question[host].ask)) return false;
    const TaskId op = ops.front();
    return graph_.kind[op] == TaskKind::kKernel && graph_.event[op].valid() &&
           graph_.op_class[graph_.RowOf(op)] == OpClass::kKernel && plan_.Own(op) <= most_ &&
           !IsCommunication(plan_.facts()[op].kind.kernel_class);
  }

  bool Continues(TaskId op) const {
    const WorkFact& last = plan_.facts()[open_.kernels.back()];
    const WorkFact& next = plan_.facts()[op];
    return last.name == next.name && last.step == next.step &&
           graph_.lane[open_.kernels.back()] == graph_.lane[op];
  }

  void Close() {
    if (open_.kernels.size() >= least_) {
      is_in_unit_ |= plan_.Counts(open_.kernels.front());
      runs_.push_back(std::move(open_));
    }
    open_ = {};
    pending_.clear();
  }

  void Merge(const Run& run) {
    const double fixed = plan_.machine().memory.fixed_ns;
    double work = 0, longest = 0;
    for (const TaskId op : run.kernels) {
      const auto ns = static_cast<double>(plan_.Own(op));
      work += std::max(0.0, ns - fixed);
      longest = std::max(longest, ns);
    }
    const TaskId first = run.kernels.front();
    const NewKernel kernel = {std::string(plan_.facts().Name(first)),
                              plan_.facts()[first].kind,
                              {fixed + work, std::max(longest, fixed + work / 2), fixed + work},
                              graph_.lane[first]};
    ReplaceKernels(plan_, run.kernels, kernel, change_);
    if (run.given.empty()) return;
    if (!has_given_) given_ = plan_.AddChange("what each of them is given", "kind=memcpy|call");
    has_given_ = true;
    for (const TaskId call : run.given) plan_.RemoveCall(call, given_);
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const DurationNs most_;
  const std::size_t least_;
  Run open_;
  std::vector<TaskId> pending_;  // What comes behind the last kernel of the open run.
  std::vector<Run> runs_;
  bool has_given_ = false;
  bool is_in_unit_ = false;
  ChangeId change_ = 0, given_ = 0;
};

Applied ApplyMergeKernels(Plan& plan, const WhatIfValues& values) {
  return MergeKernels(plan, static_cast<DurationNs>(values.Nanoseconds("most")),
                      values.Count("least"))
      .Apply();
}

}  // namespace

const WhatIf kMergeKernels = {"merge-kernels",
                              "Merge small kernels",
                              "small kernels of one name that follow each other become one",
                              kStructural | kScaling,
                              "",
                              Effort::kLines,
                              {"merge small kernels", "torch._foreach_* or one batched call",
                               "one launch with a larger grid, or a loop in the kernel"},
                              kMergeOptions,
                              ApplyMergeKernels};

}  // namespace xsp
