#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"

// Channels-last tensors: convolutions on tensor cores read them as they are, and the conversions
// before and behind them go.
namespace xsp {
namespace {

bool IsConversion(std::string_view name) {
  return HoldsAny(name, {"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw", "nchwAddPadding",
                         "nhwcAddPadding"});
}

struct Found {
  std::vector<TaskId> conversions;
  std::vector<TaskId> products;  // On tensor cores, of tensors that are not channels-last.
  bool any = false;
};

Found Find(const Plan& plan) {
  Found found;
  const WorkFacts& facts = plan.facts();
  for (const TaskId op : plan.KernelsInOrder()) {
    const std::string_view name = facts.Name(op);
    if (IsConversion(name)) {
      found.conversions.push_back(op);
      continue;
    }
    if (facts[op].kind.kernel_class != KernelClass::kConv) continue;
    found.any = true;
    const bool is_last = HoldsAny(name, {"nhwc", "NHWC", "ndhwc"});
    if (facts[op].kind.tensor_cores == TensorCores::kYes && !is_last) found.products.push_back(op);
  }
  return found;
}

Applied ApplyChannelsLast(Plan& plan, const WhatIfValues&) {
  const Found found = Find(plan);
  if (!found.any) return Applied::No("no convolutions");
  if (found.conversions.empty() && found.products.empty()) {
    return Applied::No(
        "no convolution converts its layout, and none on tensor cores reads channels first");
  }
  // The call of the framework stays, and with it the host time that led to the conversion.
  const ChangeId gone = plan.AddChange("conversions of layout", "name=nchwToNhwc|nhwcToNchw");
  for (const TaskId op : found.conversions) {
    const TaskId call = plan.CallOf(op);
    const TaskGraph& graph = plan.graph();
    const bool is_alone = graph.OpsOf(call).size() == 1;
    is_alone ? plan.RemoveCall(call, gone) : plan.RemoveWork(op, gone);
  }
  // Whole networks gained 8 to 35 % with mixed precision.
  constexpr double kLikely = 1.2, kFast = 2;
  const ChangeId faster = plan.AddChange("convolutions read channels-last", "class=conv");
  for (const TaskId op : found.products) {
    const double ns = static_cast<double>(plan.Own(op));
    plan.SetDuration(op, {ns / kLikely, ns / kFast, ns}, faster);
  }
  plan.RestsOn(kStructural | kScaling);
  plan.Assume("the whole network keeps channels-last, so that nothing is converted");
  if (!found.products.empty()) {
    plan.Assume("convolutions on tensor cores run 1.2 times as fast (measured by others: 1 to 2)");
  }
  return Applied::Yes();
}

}  // namespace

const WhatIf kChannelsLast = {
    "channels-last",
    "Channels-last",
    "convolutions read channels-last tensors; nothing is converted",
    kStructural | kScaling,
    "convolutions on tensor cores",
    Effort::kFlag,
    {"channels-last", "model.to(memory_format=torch.channels_last)", "CUDNN_TENSOR_NHWC"},
    {},
    ApplyChannelsLast};

}  // namespace xsp
