#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"

// A fused optimizer: all update kernels of a step become one that reads and
// writes every parameter once (FusedAdam, AdamW(fused=True)).
namespace xsp {
namespace {

constexpr WhatIfOption kFusedOptimizerOptions[] = {
    {"parameters", "", "how many the model has; by default what the optimizer's time tells"}};

bool IsFused(std::string_view name) {
  return name.find("usedAdam") != name.npos || name.find("used_adam") != name.npos ||
         name.find("FusedSgd") != name.npos || name.find("FusedOptimizer") != name.npos ||
         name.find("fused_sgd") != name.npos;
}

// Kernels of the update itself; zeroing and clipping gradients are something
// else.
bool IsUpdate(const WorkFact& fact) {
  const KernelClass of = fact.kind.kernel_class;
  if (of == KernelClass::kOptimizer) return true;
  return fact.phase == Phase::kOptimizer && of == KernelClass::kElementwise;
}

struct Update {
  std::vector<TaskId> kernels;
  double ns = 0;
};

// One kernel per step, however the updates were cut before.
Applied ApplyFusedOptimizer(Plan& plan, const WhatIfValues& values) {
  const MachineFacts& machine = plan.machine();
  std::map<std::uint32_t, Update> steps;
  bool is_fused = false;
  for (const TaskId op : plan.KernelsInOrder()) {
    const std::string_view name = plan.facts().Name(op);
    const bool is_scaling = name.find("non_finite") != name.npos || name.find("amp_") != name.npos;
    if (!IsUpdate(plan.facts()[op]) || is_scaling) continue;
    is_fused |= IsFused(name);
    Update& update = steps[plan.facts()[op].step];
    update.kernels.push_back(op);
    update.ns += static_cast<double>(plan.Own(op));
  }
  if (is_fused) return Applied::No("the optimizer is fused already");
  std::erase_if(steps, [](const auto& step) { return step.second.kernels.size() < 2; });
  if (steps.empty()) return Applied::No("no optimizer whose update takes more than one kernel");

  const double parameters =
      values.IsGiven("parameters") ? values.Number("parameters") : machine.parameters;
  constexpr double kBytes = 28;  // Adam: reads parameter, gradient, two moments; writes three.
  const ChangeId change = plan.AddChange("update kernels → one", "phase=optimizer");
  for (const auto& [step, update] : steps) {
    const double stream = parameters > 0 ? machine.memory.StreamNs(parameters * kBytes) : update.ns;
    // Never faster than the memory, never slower than what it replaces.
    const double ns = std::min(update.ns, stream);
    NewKernel kernel;
    kernel.name = "fused_optimizer";
    kernel.kind = plan.facts()[update.kernels.front()].kind;
    kernel.kind.kernel_class = KernelClass::kOptimizer;
    kernel.ns = {ns, ns * 0.9, std::min(update.ns, ns * 1.5)};
    kernel.stream = plan.graph().lane[update.kernels.front()];
    plan.InsertKernelBefore(plan.CallOf(update.kernels.front()), kernel, change);
    for (const TaskId op : update.kernels) plan.RemoveWithHost(op, change);
  }
  plan.RestsOn(kInserted);
  plan.Assume(parameters > 0 ? "the fused kernel moves 28 bytes for each parameter, as Adam does"
                             : "the fused kernel takes as long as all that it replaces");
  if (!values.IsGiven("parameters") && parameters > 0) {
    plan.Assume("the number of parameters comes from " + machine.parameters_source);
    plan.MakesSurer("--fused-optimizer=parameters=...");
  }
  return Applied::Yes();
}

// The paper's: everything of the update goes, and one kernel comes that takes
// as long as all.
Applied ApplyClassicFused(Plan& plan, const WhatIfValues&) {
  std::map<std::uint32_t, Update> steps;
  for (const TaskId op : plan.KernelsInOrder()) {
    if (!IsUpdate(plan.facts()[op])) continue;
    Update& update = steps[plan.facts()[op].step];
    update.kernels.push_back(op);
    update.ns += static_cast<double>(plan.Own(op));
  }
  if (steps.empty()) return Applied::No("no optimizer");
  const ChangeId change = plan.AddChange("update kernels → one", "phase=optimizer");
  for (const auto& [step, update] : steps) {
    NewKernel kernel;
    kernel.name = "fused_optimizer";
    kernel.kind = plan.facts()[update.kernels.front()].kind;
    kernel.ns = {update.ns, update.ns, update.ns};
    kernel.stream = plan.graph().lane[update.kernels.front()];
    plan.InsertKernelBefore(plan.CallOf(update.kernels.front()), kernel, change);
    for (const TaskId op : update.kernels) plan.RemoveWithHost(op, change);
  }
  return Applied::Yes();
}

}  // namespace

const WhatIf kFusedOptimizer = {
    "fused-optimizer",
    "Fused optimizer",
    "all update kernels of a step become one",
    kInserted,
    "an optimizer in the trace",
    Effort::kFlag,
    {"fused optimizer", "fused=True in the optimizer", "one kernel for all updates"},
    kFusedOptimizerOptions,
    ApplyFusedOptimizer,
    /*is_advice=*/true,
    ApplyClassicFused};

}  // namespace xsp
