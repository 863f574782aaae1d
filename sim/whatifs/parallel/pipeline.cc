#include <algorithm>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"

// Pipeline parallelism: each GPU has a piece of the layers, and a batch goes through in
// micro-batches, one forward and one backward in turn (1F1B).
namespace xsp {
namespace {

constexpr WhatIfOption kPipelineOptions[] = {
    {"stages", "4", "how many GPUs, each with its piece of the layers"},
    {"micro", "8", "micro-batches of a batch"}};

bool IsInPass(const WorkFact& fact) {
  return fact.phase == Phase::kForward || fact.phase == Phase::kBackward;
}

Applied ApplyPipeline(Plan& plan, const WhatIfValues& values) {
  const double stages = values.Count("stages");
  const double micro = std::max(1u, values.Count("micro"));
  if (stages < 2) return Applied::No("one stage is what there is now");
  if (!CollectivesOf(plan).empty()) {
    return Applied::No("it starts from a trace of one GPU, and this one exchanges data already");
  }
  if (!plan.machine().has_backward) return Applied::No("no backward pass");
  // While the pipeline fills and drains, a stage waits for as many micro-batches as there are other
  // stages: m micro-batches take the time of m + p - 1.
  const double slots = micro + stages - 1;
  const double device = slots / micro / stages;  // Kernels of a micro-batch are 1/m as long,
  const double each = slots / stages;            // but what each costs at least stays.
  const double fixed = plan.machine().memory.fixed_ns;
  const ChangeId work =
      plan.AddChange("kernels of one stage, with its waits", "phase=forward|backward");
  const ChangeId calls = plan.AddChange("calls of one stage, micro-batch by micro-batch",
                                        "on=host, phase=forward|backward");
  const ChangeId update = plan.AddChange("update of one stage", "phase=optimizer");
  for (const TaskId op : plan.Select(Selector::Device())) {
    const WorkFact& fact = plan.facts()[op];
    const double ns = static_cast<double>(plan.Own(op));
    if (IsInPass(fact)) {
      const double least = std::min(ns, fixed);
      const double then = least * each + (ns - least) * device;
      plan.SetDuration(op, {then, ns * device, then * 1.15}, work);
    } else if (fact.phase == Phase::kOptimizer) {
      plan.Scale(op, 1 / stages, update);
    }
  }
  for (const TaskId host : plan.Select(Selector::Host())) {
    if (!IsInPass(plan.facts()[host])) continue;
    plan.Scale(host, each, calls);
    plan.SetGap(host, static_cast<DurationNs>(static_cast<double>(plan.Gap(host)) * each), calls);
  }
  plan.RestsOn(kScaling);
  plan.Assume("stages are equally long; " + values.Text("micro") +
              " micro-batches take the time of " + std::to_string(static_cast<int>(slots)) +
              " of them");
  plan.Assume(
      "kernels of a micro-batch take their share of the time; the host launches them for each");
  plan.Assume("sending activations between stages is hidden behind kernels");
  plan.Caution("the batch is the same as now: the speed-up is that of " + values.Text("stages") +
               " GPUs");
  if (plan.machine().parameters > 0) {
    constexpr double kBytes = 16;  // Weight, gradient and two moments in fp32.
    plan.AddMemory(-kBytes * plan.machine().parameters * (1 - 1 / stages));
    plan.Assume("memory: 16 bytes for each parameter; activations do not count");
  }
  return Applied::Yes();
}

}  // namespace

const WhatIf kPipeline = {"pipeline",
                          "Pipeline parallelism",
                          "the same batch through stages on several GPUs, in micro-batches",
                          kScaling,
                          "a forward and a backward pass",
                          Effort::kMachines,
                          {},
                          kPipelineOptions,
                          ApplyPipeline,
                          /*is_advice=*/false};

}  // namespace xsp
