#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/duration.h"
#include "model/names/communication.h"
#include "sim/models/batch_curve.h"
#include "sim/whatifs/all.h"

// A larger batch: kernels grow with it, launches, the optimizer and communication do not. And
// several micro-batches for one update: gradient accumulation.
namespace xsp {
namespace {

constexpr WhatIfOption kBatchOptions[] = {
    {"factor", "2", "how many times as many samples in a step"}};
constexpr WhatIfOption kAccumulateOptions[] = {
    {"steps", "4", "micro-batches for one update; each as large as a batch is now"}};

// Work on weights and gradients, which are the same for any batch.
bool IsPerParameter(const WorkFact& fact) {
  const KernelClass of = fact.kind.kernel_class;
  return fact.phase == Phase::kOptimizer || of == KernelClass::kOptimizer || IsCommunication(of) ||
         fact.phase == Phase::kCommunication;
}

// A kernel that fills the GPU grows with its work; one that does not first fills it up.
double Grown(const Plan& plan, TaskId op, double factor) {
  const double ns = static_cast<double>(plan.Own(op));
  const double fixed = std::min(ns, plan.machine().memory.fixed_ns);
  const MatrixWork work = MatrixWorkOf(plan.graph(), plan.facts(), op);
  const double sms = plan.machine().gpu.sm_count;
  double more = factor;
  if (work.blocks > 0 && sms > 0 && work.blocks < sms) {
    const double blocks = static_cast<double>(work.blocks) * factor;
    more = std::max(1.0, blocks / sms);
  }
  return fixed + (ns - fixed) * more;
}

// By what the kernels of a step take longer for each time its batch is as large again, as a share
// of what they take now; by the measured curve.
struct KernelGrowth {
  double share = 0, fast = 0, slow = 0;
};

// Steps of another kind that fill the pipeline have another batch.
std::vector<TaskId> KernelsOfBatch(const Plan& plan) {
  const std::string& kind = plan.unit().steps.kind;
  const bool has_kind = plan.unit().is_step && !kind.empty();
  std::vector<TaskId> kernels = plan.Select(Selector::Kind(TaskKind::kKernel));
  std::erase_if(kernels, [&](TaskId op) {
    const WorkFact& fact = plan.facts()[op];
    if (IsPerParameter(fact)) return true;
    if (!has_kind) return false;
    return fact.step == Steps::kOutside || plan.steps().steps[fact.step].kind() != kind;
  });
  return kernels;
}

KernelGrowth GrowthBy(const BatchCurve& curve, const Plan& plan,
                      const std::vector<TaskId>& kernels) {
  std::set<std::uint32_t> devices, steps;
  double sum = 0;
  for (TaskId op : kernels) {
    sum += static_cast<double>(plan.Own(op));
    devices.insert(plan.graph().DeviceOf(op));
    steps.insert(plan.facts()[op].step);
  }
  const double of_step = sum / static_cast<double>(steps.size() * devices.size());
  const auto share = [&](double slope) { return slope * curve.tokens / std::max(1.0, of_step); };
  return {share(curve.ns_per_token), share(curve.slope_low), share(curve.slope_high)};
}

// Where the trace has steps with batches of several sizes, they tell how a step grows.
bool GrowAsMeasured(Plan& plan, double factor, const std::vector<TaskId>& kernels,
                    ChangeId change) {
  const std::string& kind = plan.unit().steps.kind;
  if (!plan.unit().is_step || kind.empty()) return false;
  const std::optional<BatchCurve> curve = FitBatchCurve(plan.steps(), kind);
  if (!curve) return false;
  const KernelGrowth growth = GrowthBy(*curve, plan, kernels);
  for (TaskId op : kernels) {
    const double ns = static_cast<double>(plan.Own(op));
    // A larger batch takes no kernel less, whatever the scatter of few steps leaves open.
    const auto grown = [&](double share) {
      return ns * std::max(0.0, 1 + (factor - 1) * std::max(0.0, share));
    };
    const auto [fast, slow] = std::minmax({grown(growth.fast), grown(growth.slow)});
    plan.SetDuration(op, {grown(growth.share), fast, slow}, change);
  }
  const auto tokens = [](double count) { return std::to_string(std::llround(count)); };
  plan.Assume("a " + kind + " step grows with its tokens as " + std::to_string(curve->steps) +
              " steps of " + tokens(static_cast<double>(curve->least)) + " to " +
              tokens(static_cast<double>(curve->most)) + " tokens do: by " +
              FormatDuration(std::llround(curve->ns_per_token)) + " for each");
  const double then = factor * curve->tokens;
  if (then > static_cast<double>(curve->most) || then < static_cast<double>(curve->least)) {
    plan.Caution("no " + kind + " step with " + tokens(then) +
                 " tokens was measured: another size may take other kernels");
  }
  return true;
}

Applied ApplyBatch(Plan& plan, const WhatIfValues& values) {
  const double factor = values.Number("factor");
  if (factor <= 0) throw Error("--batch=" + values.Text("factor") + " must be above 0", "");
  const std::vector<TaskId> batch = KernelsOfBatch(plan);
  if (batch.empty()) return Applied::No("no kernel of this part of the trace works on a batch");
  const ChangeId kernels = plan.AddChange("kernels × batch", "kind=kernel, phase=not optimizer");
  if (!GrowAsMeasured(plan, factor, batch, kernels)) {
    for (TaskId op : batch) {
      const double ns = static_cast<double>(plan.Own(op));
      const double then = Grown(plan, op, factor);
      plan.SetDuration(
          op, {then, std::min(then, ns * std::sqrt(factor)), std::max(then, ns * factor)}, kernels);
    }
    plan.Assume("libraries choose the same kernels for the larger batch");
    plan.Assume("kernels that do not fill the GPU take no longer until they do");
  }
  const ChangeId copies = plan.AddChange("copies × batch", "kind=memcpy HtoD");
  const ChangeId loads = plan.AddChange("data loading × batch", "kind=load");
  for (const TaskId op : plan.Select(Selector::Kind(TaskKind::kMemcpy))) {
    const bool to_device = plan.graph().op_class[plan.graph().RowOf(op)] == OpClass::kHtoD;
    if (to_device) plan.Scale(op, factor, copies);
  }
  for (const TaskId load : plan.Select(Selector::Kind(TaskKind::kLoad))) {
    plan.Scale(load, factor, loads);
  }
  plan.MultiplyWork(factor);
  plan.RestsOn(kScaling);
  plan.Assume("activations fit into the device's memory, and grow as the batch does");
  return Applied::Yes();
}

// The update and the exchange of gradients are shared by all micro-batches.
Applied ApplyAccumulate(Plan& plan, const WhatIfValues& values) {
  const double steps = values.Count("steps");
  const ChangeId change =
      plan.AddChange("update shared by micro-batches", "phase=optimizer|communication");
  std::size_t shared = 0;
  for (const TaskId op : plan.Select(Selector::Device())) {
    if (!IsPerParameter(plan.facts()[op])) continue;
    plan.Scale(op, 1 / steps, change);
    ++shared;
  }
  if (shared == 0) return Applied::No("no optimizer and no exchange of gradients in this part");
  for (const TaskId host : plan.Select(Selector::Host())) {
    if (!IsPerParameter(plan.facts()[host])) continue;
    plan.Scale(host, 1 / steps, change);
    plan.SetGap(host, static_cast<DurationNs>(static_cast<double>(plan.Gap(host)) / steps), change);
  }
  plan.RepeatUnit(steps);
  plan.RestsOn(kStructural);
  plan.Assume(
      "each micro-batch is as large as a batch is now, and only the last exchanges gradients");
  return Applied::Yes();
}

}  // namespace

const WhatIf kBatch = {"batch",
                       "Larger batch",
                       "more samples in a step; by work done per time",
                       kScaling,
                       "memory for the activations",
                       Effort::kFlag,
                       {},
                       kBatchOptions,
                       ApplyBatch,
                       /*is_advice=*/false};

const WhatIf kAccumulate = {"accumulate",
                            "Gradient accumulation",
                            "several micro-batches for one update; by work done per time",
                            kStructural,
                            "an optimizer or an exchange of gradients",
                            Effort::kLines,
                            {},
                            kAccumulateOptions,
                            ApplyAccumulate,
                            /*is_advice=*/false};

}  // namespace xsp
