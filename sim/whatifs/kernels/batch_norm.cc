#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"

// Batch normalisation restructured: its passes over memory move into the kernels around it. The
// statistics come out of the convolution before it, the ReLU goes into what follows.
namespace xsp {
namespace {

bool IsBatchNorm(const WorkFacts& facts, TaskId op) {
  if (facts[op].kind.kernel_class != KernelClass::kNorm) return false;
  const auto parts = {std::string_view("batch_norm"), std::string_view("batchnorm"),
                      std::string_view("BatchNorm"),  std::string_view("batchNorm"),
                      std::string_view("bn_fw"),      std::string_view("bn_bw")};
  return HoldsAny(facts.Name(op), parts) || HoldsAny(facts.Operation(op), parts);
}

// cuDNN has kernels that keep their input on the chip between both passes.
bool ReadsOnce(std::string_view name) { return HoldsAny(name, {"singleread", "single_read"}); }

struct Found {
  std::vector<TaskId> norms;  // That read their input twice.
  std::vector<TaskId> relus;  // Right behind a batch-norm, or right before its gradient.
  bool any_norm = false;
};

Found Find(const Plan& plan) {
  Found found;
  const WorkFacts& facts = plan.facts();
  const std::vector<TaskId> kernels = plan.KernelsInOrder();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const TaskId op = kernels[i];
    if (IsBatchNorm(facts, op)) {
      found.any_norm = true;
      if (!ReadsOnce(facts.Name(op))) found.norms.push_back(op);
    }
    const bool behind =
        i > 0 && facts[kernels[i]].phase != Phase::kBackward && IsBatchNorm(facts, kernels[i - 1]);
    const bool before = i + 1 < kernels.size() && facts[op].phase == Phase::kBackward &&
                        IsBatchNorm(facts, kernels[i + 1]);
    if ((behind || before) && IsRelu(facts, op)) found.relus.push_back(op);
  }
  return found;
}

Applied ApplyBatchNorm(Plan& plan, const WhatIfValues&) {
  const Found found = Find(plan);
  if (!found.any_norm) return Applied::No("no batch normalisation");
  if (!plan.machine().has_backward) {
    return Applied::No("no backward pass: in inference batch-norm folds into the weights instead");
  }
  if (found.norms.empty() && found.relus.empty()) {
    return Applied::No("its batch-norm kernels read their input once already");
  }
  // Passes over a tensor: forward reads twice and writes once, of which one read goes; backward
  // reads two tensors twice and writes one, of which two go.
  constexpr double kForward = 2.0 / 3, kBackward = 3.0 / 5;
  constexpr double kPaper = 0.5;
  constexpr double kSlow = 5.0 / 6;
  const ChangeId norms = plan.AddChange("batch-norm with fewer passes", "class=norm, batch-norm");
  for (const TaskId op : found.norms) {
    const double ns = static_cast<double>(plan.Own(op));
    const bool is_backward = plan.facts()[op].phase == Phase::kBackward;
    plan.SetDuration(op, {ns * (is_backward ? kBackward : kForward), ns * kPaper, ns * kSlow},
                     norms);
  }
  const ChangeId relus = plan.AddChange("ReLU inside its neighbour", "ReLU beside batch-norm");
  for (const TaskId op : found.relus) plan.RemoveWithHost(op, relus);
  plan.RestsOn(kScaling | kStructural);
  plan.Assume("batch-norm is bound by memory: 2 of 3 passes stay forward, 3 of 5 backward");
  plan.Assume("the kernels around it take over its statistics and the ReLU at no cost");
  plan.Caution(
      "these kernels do not exist in cuDNN: the paper forecast 12.7 % for DenseNet-121 and got 7 "
      "%");
  return Applied::Yes();
}

// The paper's: batch-norm in half the time, no ReLU.
Applied ApplyClassicBatchNorm(Plan& plan, const WhatIfValues&) {
  const Found found = Find(plan);
  if (!found.any_norm) return Applied::No("no batch normalisation");
  const ChangeId change = plan.AddChange("batch-norm, ReLU", "class=norm, batch-norm");
  for (const TaskId op : found.norms) plan.Scale(op, 0.5, change);
  for (const TaskId op : found.relus) plan.RemoveWithHost(op, change);
  return Applied::Yes();
}

}  // namespace

const WhatIf kBatchNorm = {
    "batch-norm",
    "Batch-norm restructured",
    "batch-norm reads its input once, and the ReLU beside it goes into its neighbour",
    kScaling | kStructural,
    "batch normalisation in training",
    Effort::kDays,
    {},
    {},
    ApplyBatchNorm,
    /*is_advice=*/false,
    ApplyClassicBatchNorm};

}  // namespace xsp
