#include <algorithm>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"

// Pointwise fusion, as a compiler does it: elementwise kernels that follow each other become one,
// which reads and writes memory once.
namespace xsp {
namespace {

constexpr WhatIfOption kFuseOptions[] = {{"least", "2", "kernels that a chain must have"}};

// Kernels that a compiler takes into one: no reduction and nothing between them.
bool IsPointwise(const WorkFact& fact) {
  switch (fact.kind.kernel_class) {
    case KernelClass::kElementwise:
    case KernelClass::kCast:
    case KernelClass::kRandom:
      return fact.phase != Phase::kOptimizer;
    default:
      return false;
  }
}

class Fusion {
 public:
  explicit Fusion(Plan& plan) : plan_(plan), graph_(plan.graph()), facts_(plan.facts()) {}

  Applied Apply(std::size_t least) {
    const std::vector<std::vector<TaskId>> chains = FindChains(least);
    if (chains.empty()) return Applied::No("no elementwise kernels follow each other directly");
    change_ =
        plan_.AddChange("elementwise chains → one kernel each", "class=elementwise|cast|random");
    for (const std::vector<TaskId>& chain : chains) Fuse(chain);
    plan_.RestsOn(kScaling | kStructural);
    plan_.Assume(
        "kernels that follow each other on the same number of elements pass their results on");
    plan_.Assume("a fused kernel takes as long as the bytes that it still reads and writes");
    return Applied::Yes();
  }

 private:
  // Chains of the same stream, step, phase and number of elements, issued one right behind the
  // other.
  std::vector<std::vector<TaskId>> FindChains(std::size_t least) const {
    constexpr std::size_t kMost = 64;  // That PyTorch's compiler takes into one kernel.
    std::vector<std::vector<TaskId>> chains;
    std::vector<TaskId> open;
    auto close = [&] {
      if (open.size() >= std::max<std::size_t>(2, least)) chains.push_back(open);
      open.clear();
    };
    for (const TaskId op : plan_.KernelsInOrder()) {
      if (!IsPointwise(facts_[op])) {
        close();
        continue;
      }
      if (open.size() == kMost || (!open.empty() && !Joins(open.back(), op))) close();
      open.push_back(op);
    }
    close();
    return chains;
  }

  bool Joins(TaskId a, TaskId b) const {
    const WorkFact& first = facts_[a];
    const WorkFact& second = facts_[b];
    return graph_.lane[a] == graph_.lane[b] && first.step == second.step &&
           first.phase == second.phase && Elements(a) == Elements(b) &&
           IsIssuedBehind(plan_.CallOf(a), plan_.CallOf(b));
  }

  // By the same thread, which neither waits for the device in between nor does something else for
  // long: what it looks at or computes there no compiler takes into a kernel.
  bool IsIssuedBehind(TaskId a, TaskId b) const {
    if (graph_.lane[a] != graph_.lane[b]) return false;
    const DurationNs longest = std::max<DurationNs>(200'000, 10 * plan_.machine().operation_host);
    for (TaskId host : TaskRange{Next(a), Next(b)}) {
      if (IsWait(graph_.question[host].ask) || graph_.gap[host] > longest) return false;
    }
    return true;
  }

  double Elements(TaskId op) const { return ElementsOf(graph_, facts_, plan_.machine(), op); }

  // Tensors that a kernel of the chain moves: by its template, else one result and what it reads.
  double Operands(TaskId op) const {
    const auto kind = plan_.machine().elementwise.find(facts_[op].name);
    const bool is_known = kind != plan_.machine().elementwise.end() && kind->second.operands > 0;
    return is_known ? kind->second.operands : 2;
  }

  void Fuse(const std::vector<TaskId>& chain) {
    double sum = 0, longest = 0, moved = 0;
    for (const TaskId op : chain) {
      const double ns = static_cast<double>(plan_.Own(op));
      sum += ns;
      longest = std::max(longest, ns);
      moved += Operands(op);
    }
    // Between two kernels a tensor is written and read again: that goes.
    const double left = std::max(2.0, moved - 2 * static_cast<double>(chain.size() - 1));
    const double fixed = std::min(longest, plan_.machine().memory.fixed_ns);
    const double streaming = sum - fixed * static_cast<double>(chain.size());
    const double ns = std::max(fixed, fixed + std::max(0.0, streaming) * left / moved);
    plan_.SetDuration(chain.front(), {ns, std::min(ns, longest), std::max(ns, longest * 1.3)},
                      change_);
    for (std::size_t i = 1; i < chain.size(); ++i) plan_.RemoveWithHost(chain[i], change_);
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const WorkFacts& facts_;
  ChangeId change_ = 0;
};

Applied ApplyFuse(Plan& plan, const WhatIfValues& values) {
  return Fusion(plan).Apply(values.Count("least"));
}

}  // namespace

const WhatIf kFuse = {
    "fuse",
    "Pointwise fusion",
    "elementwise kernels that follow each other become one, as a compiler does it",
    kScaling | kStructural,
    "",
    Effort::kLines,
    kFuseOptions,
    ApplyFuse};

}  // namespace xsp
