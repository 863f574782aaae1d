#include <algorithm>
#include <string>
#include <vector>

#include "graph/call_class.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/host/reads.h"

// Small copies that follow each other become one: what each of them costs besides its bytes, and
// the calls, are paid once.
namespace xsp {
namespace {

constexpr WhatIfOption kLargerOptions[] = {
    {"most", "1MB", "bytes up to which a copy counts as small"},
    {"least", "4", "copies that must follow each other to be worth it"}};

// Copies of one thread, stream and direction with nothing but their own waits between them.
struct CopyRun {
  std::vector<TaskId> copies;
  std::vector<TaskId> waits;  // Right behind copies of the run, in their order.
  double bytes = 0;
};

class LargerCopies {
 public:
  LargerCopies(Plan& plan, double most, std::size_t least)
      : plan_(plan), graph_(plan.graph()), most_(most), least_(std::max<std::size_t>(2, least)) {}

  Applied Apply() {
    Find();
    if (!is_in_unit_) {
      return Applied::No("no small copies between host and device follow each other directly");
    }
    FindFixed();
    copies_ = plan_.AddChange("small copies → larger ones", "kind=memcpy HtoD|DtoH, small");
    for (const CopyRun& run : runs_) Join(run);
    plan_.RestsOn(kStructural | kScaling);
    plan_.Assume("what they copy lies side by side, or the host packs it at 10 GB/s");
    return Applied::Yes();
  }

 private:
  void Find() {
    for (const GraphThread& thread : graph_.threads) {
      for (TaskId host : thread.tasks()) Visit(host);
      Close();
    }
  }

  void Visit(TaskId host) {
    const TaskId copy = SmallCopy(host);
    if (copy.valid()) {
      if (!Continues(copy)) Close();
      open_.copies.push_back(copy);
      open_.bytes += static_cast<double>(CopyBytes(graph_, copy));
      return;
    }
    if (open_.copies.empty()) return;
    const TaskId before = CopyBefore(graph_, host);
    if (before.valid() && before == open_.copies.back()) {
      open_.waits.push_back(host);
    } else if (!IsHarmless(host)) {
      Close();
    }
  }

  TaskId SmallCopy(TaskId host) const {
    const TaskRange ops = graph_.OpsOf(host);
    if (ops.size() != 1) return {};
    const TaskId op = ops.front();
    const OpClass of = graph_.op_class[graph_.RowOf(op)];
    const bool is_copy = graph_.kind[op] == TaskKind::kMemcpy && graph_.event[op].valid() &&
                         (of == OpClass::kHtoD || of == OpClass::kDtoH);
    return is_copy && static_cast<double>(CopyBytes(graph_, op)) <= most_ ? op : TaskId();
  }

  bool Continues(TaskId copy) const {
    if (open_.copies.empty()) return true;
    const TaskId last = open_.copies.back();
    // What takes far longer than a copy's own call is something that the host does between them.
    constexpr DurationNs kLongestGap = 100'000;
    return graph_.lane[last] == graph_.lane[copy] &&
           graph_.op_class[graph_.RowOf(last)] == graph_.op_class[graph_.RowOf(copy)] &&
           plan_.facts()[last].step == plan_.facts()[copy].step &&
           graph_.gap[graph_.CallOf(copy)] <= kLongestGap;
  }

  // Questions about devices and memory, which come between without doing anything.
  bool IsHarmless(TaskId host) const {
    if (!graph_.OpsOf(host).empty() || graph_.kind[host] != TaskKind::kCall) return false;
    return graph_.question[host].ask == Ask::kNothing &&
           ClassOfCall(plan_.facts().Name(host)) == CallClass::kOther;
  }

  void Close() {
    if (open_.copies.size() >= least_) {
      is_in_unit_ |= plan_.Counts(open_.copies.front());
      runs_.push_back(std::move(open_));
    }
    open_ = {};
  }

  // No more than the shortest of those that are joined.
  void FindFixed() {
    for (const CopyRun& run : runs_) {
      for (const TaskId copy : run.copies) fixed_ = std::min(fixed_, plan_.Own(copy));
    }
  }

  void Join(const CopyRun& run) {
    double bytes_ns = 0;
    for (const TaskId copy : run.copies) bytes_ns += static_cast<double>(plan_.Own(copy) - fixed_);
    const auto fixed = static_cast<double>(fixed_);
    const TaskId first = run.copies.front();
    // Larger copies are no slower per byte, and may be faster.
    plan_.SetDuration(first, {fixed + bytes_ns, fixed + 0.7 * bytes_ns, fixed + bytes_ns}, copies_);
    constexpr double kPackedBytesPerNs = 10;
    const TaskId call = plan_.CallOf(first);
    plan_.SetCallCost(
        call, plan_.Own(call) + static_cast<DurationNs>(run.bytes / kPackedBytesPerNs), copies_);
    for (std::size_t i = 1; i < run.copies.size(); ++i) {
      const TaskId other = plan_.CallOf(run.copies[i]);
      plan_.SetGap(other, 0, copies_);
      plan_.RemoveCall(other, copies_);
    }
    RemoveWaits(run);
  }

  // One wait, behind the one copy.
  void RemoveWaits(const CopyRun& run) {
    if (run.waits.size() < 2) return;
    if (!has_waits_) waits_ = plan_.AddChange("waits behind each of them", "rule=host_sync");
    has_waits_ = true;
    for (std::size_t i = 1; i < run.waits.size(); ++i) plan_.RemoveCall(run.waits[i], waits_);
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const double most_;
  const std::size_t least_;
  CopyRun open_;
  std::vector<CopyRun> runs_;
  DurationNs fixed_ = static_cast<DurationNs>(kCopyFixedNs);
  bool is_in_unit_ = false;
  bool has_waits_ = false;
  ChangeId copies_ = 0, waits_ = 0;
};

Applied ApplyLargerCopies(Plan& plan, const WhatIfValues& values) {
  return LargerCopies(plan, values.Bytes("most"), values.Count("least")).Apply();
}

}  // namespace

const WhatIf kLargerCopies = {"larger-copies",
                              "Fewer, larger copies",
                              "small copies that follow each other become one",
                              kStructural | kScaling,
                              "",
                              Effort::kLines,
                              {"fewer, larger copies", "torch.cat on the host, one .to(device)",
                               "one cudaMemcpyAsync of a packed buffer"},
                              kLargerOptions,
                              ApplyLargerCopies};

}  // namespace xsp
