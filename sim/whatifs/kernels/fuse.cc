#include <algorithm>
#include <string>
#include <vector>

#include "sim/models/kernel_bound.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/fuse_chains.h"

// Fusion, as a compiler does it: elementwise kernels, copies, norms, softmax and sums that follow
// each other become one kernel, which reads and writes memory once.
namespace xsp {
namespace {

constexpr WhatIfOption kFuseOptions[] = {{"least", "2", "kernels that a chain must have"}};

// What a kernel computes stays, wherever it is done.
double ComputingNs(const Plan& plan, TaskId op) {
  constexpr double kStreams = 0.9;
  const BoundBy bound = BoundOf(plan.graph(), plan.facts(), plan.machine(), op);
  return bound.memory > kStreams ? 0 : (1 - bound.memory) * static_cast<double>(plan.Own(op));
}

// By the share of the memory traffic that is left; and no slower than that traffic takes, where the
// number of elements is known: kernels that read in steps do not stay as slow as they are.
TimeEstimate FusedNs(const Plan& plan, const FusionChain& chain) {
  const MemoryMachine& memory = plan.machine().memory;
  double sum = 0, longest = 0, computing = 0;
  for (const TaskId op : chain.kernels) {
    const double ns = static_cast<double>(plan.Own(op));
    sum += ns;
    longest = std::max(longest, ns);
    computing += ComputingNs(plan, op);
  }
  const double fixed = std::min(longest, memory.fixed_ns);
  const double streaming = std::max(0.0, sum - fixed * static_cast<double>(chain.kernels.size()));
  const double share = chain.moved > 0 ? std::min(1.0, chain.left / chain.moved) : 1;
  const double by_share = fixed + streaming * share;
  double ns = by_share;
  if (chain.elements > 0 && memory.bytes_per_s > 0) {
    const double bytes = chain.left * chain.elements * chain.element_bytes;
    ns = std::min(by_share, fixed + bytes / memory.bytes_per_s * 1e9);
  }
  ns = std::max(ns, computing);
  // A kernel that keeps whole rows has fewer of them at work.
  const double slower = chain.has_rows ? 1.3 : 1.15;
  return {ns, std::min(ns, std::max(fixed, ns * 0.85)),
          std::min(std::max(ns, sum), std::max(by_share, ns * slower))};
}

Applied ApplyFuse(Plan& plan, const WhatIfValues& values) {
  const std::vector<FusionChain> chains = FindFusionChains(plan, values.Count("least"));
  if (chains.empty()) return Applied::No("no kernels that a compiler fuses follow each other");
  const ChangeId pointwise =
      plan.AddChange("elementwise chains → one kernel each", "class=elementwise|cast|copy|random");
  const ChangeId rows = plan.AddChange("chains with norms or sums → one kernel each",
                                       "class=norm|softmax|reduction and elementwise beside");
  for (const FusionChain& chain : chains) {
    const ChangeId change = chain.has_rows ? rows : pointwise;
    plan.SetDuration(chain.kernels.front(), FusedNs(plan, chain), change);
    for (std::size_t i = 1; i < chain.kernels.size(); ++i) {
      plan.RemoveWithHost(chain.kernels[i], change);
    }
  }
  plan.RestsOn(kScaling | kStructural);
  plan.Assume("kernels that follow each other on as many elements pass their results on");
  plan.Assume("a fused kernel takes as long as the bytes that it still reads and writes");
  plan.Assume("the compiler sees the whole model: nothing between the kernels breaks its graph");
  return Applied::Yes();
}

}  // namespace

const WhatIf kFuse = {
    "fuse",
    "Fusion",
    "elementwise work, copies, norms, softmax and sums that follow each other become one kernel",
    kScaling | kStructural,
    "",
    Effort::kLines,
    {"fusion", "torch.compile(model)", "one kernel for elementwise work in a row"},
    kFuseOptions,
    ApplyFuse};

}  // namespace xsp
