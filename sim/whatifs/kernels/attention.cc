#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/attention_groups.h"
#include "sim/whatifs/kernels/rewrite.h"

// Fused attention: the two products, the softmax between them and all that is done to the scores
// become one kernel, which never writes the scores to memory.
namespace xsp {
namespace {

double SumNs(const Plan& plan, const std::vector<TaskId>& ops) {
  double sum = 0;
  for (const TaskId op : ops) sum += static_cast<double>(plan.Own(op));
  return sum;
}

// Flop of the products, where the trace has recorded sizes of all of them.
std::optional<double> FlopsOf(const Plan& plan, const std::vector<TaskId>& products) {
  double sum = 0;
  for (const TaskId op : products) {
    const MatrixWork work = MatrixWorkOf(plan.graph(), plan.facts(), op);
    if (!work.flops) return std::nullopt;
    sum += *work.flops;
  }
  return sum;
}

// Its products stay, those of the backward pass with the scores computed anew: five for four. What
// a fused kernel reaches of the peak is measured at 0.35 to 0.73.
TimeEstimate FusedNs(const Plan& plan, const AttentionGroup& group) {
  constexpr double kRecomputed = 1.25;
  constexpr double kBestShare = 0.73;
  constexpr double kFastShare = 0.6, kSlowShare = 1.5;
  const double more = group.is_backward ? kRecomputed : 1;
  const double all = SumNs(plan, group.kernels);
  const double products = SumNs(plan, group.products) * more;
  TimeEstimate ns{products, products * kFastShare, products * kSlowShare};
  const Precision precision = plan.facts()[group.products.front()].kind.precision;
  const auto peak = plan.machine().gpu.Of(precision);
  if (const auto flops = FlopsOf(plan, group.products); flops && peak) {
    const double least = *flops * more / (kBestShare * *peak) * 1e9;
    ns.fast_ns = std::max(least, std::min(ns.fast_ns, ns.ns));
    ns.ns = std::max(ns.ns, ns.fast_ns);
  }
  const double fixed = std::min(all, plan.machine().memory.fixed_ns);
  for (double* time : {&ns.ns, &ns.fast_ns, &ns.slow_ns}) *time = std::clamp(*time, fixed, all);
  return ns;
}

// Scores that the backward pass no longer needs to keep, of one step.
double SavedBytes(const Plan& plan, const std::vector<AttentionGroup>& groups) {
  double sum = 0;
  for (const AttentionGroup& group : groups) {
    if (group.is_backward) continue;
    sum += ResultBytes(plan, group.softmax);
  }
  return sum / plan.step_count();
}

Applied ApplyAttention(Plan& plan, const WhatIfValues&) {
  const std::vector<AttentionGroup> groups = FindAttention(plan);
  if (groups.empty()) {
    const bool is_fused = !plan.Select(Selector::Class(KernelClass::kAttention)).empty();
    return Applied::No(is_fused ? "attention is fused already"
                                : "no softmax of scores between two matrix products");
  }
  const double saved = plan.machine().has_backward ? SavedBytes(plan, groups) : 0;
  const ChangeId change = plan.AddChange("attention → fused kernels", "gemm, softmax, gemm");
  for (const AttentionGroup& group : groups) {
    NewKernel kernel;
    kernel.name = group.is_backward ? "flash_bwd" : "flash_fwd";
    kernel.kind = plan.facts()[group.products.front()].kind;
    kernel.kind.kernel_class = KernelClass::kAttention;
    kernel.ns = FusedNs(plan, group);
    kernel.stream = plan.graph().lane[group.kernels.front()];
    ReplaceKernels(plan, group.kernels, kernel, change);
  }
  if (saved > 0) {
    plan.AddMemory(-saved);
    plan.Assume("memory: the softmax results of a step, by their recorded sizes");
  }
  plan.RestsOn(kScaling | kInserted);
  plan.Assume("a fused kernel takes as long as its products did; backward, five for four of them");
  plan.Assume("the mask and the head size are ones that fused kernels support");
  return Applied::Yes();
}

}  // namespace

const WhatIf kAttentionFused = {"attention",
                                "Fused attention",
                                "scores, softmax and their product become one kernel",
                                kScaling | kInserted,
                                "attention as products and a softmax",
                                Effort::kLines,
                                {"fused attention", "F.scaled_dot_product_attention",
                                 "one kernel for scores, softmax and product"},
                                {},
                                ApplyAttention};

}  // namespace xsp
