#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"
#include "sim/whatifs/parallel/training_pass.h"

// Gist: results of ReLUs are kept in a smaller encoding between the forward and the backward pass.
namespace xsp {
namespace {

constexpr WhatIfOption kGistOptions[] = {
    {"ratio", "2",
     "how many times smaller they are kept: 32 for single bits, 2 where half is zero"}};

NewKernel Coder(const Plan& plan, TaskId like, TaskId beside, std::string name, double ratio) {
  // A ReLU reads a tensor and writes one; a coder moves one and a smaller one.
  const double ns = static_cast<double>(plan.Own(like)) * (1 + 1 / ratio) / 2;
  NewKernel kernel;
  kernel.name = std::move(name);
  kernel.kind.kernel_class = KernelClass::kElementwise;
  kernel.kind.precision = plan.facts()[like].kind.precision;
  kernel.ns = {ns, ns * 0.7, ns * 2};
  kernel.stream = plan.graph().lane[beside];
  return kernel;
}

Applied ApplyGist(Plan& plan, const WhatIfValues& values) {
  const double ratio = values.Number("ratio");
  if (ratio < 1) throw Error("--gist: ratio must be at least 1", "");
  const std::vector<TrainingPass> passes = FindPasses(plan);
  if (passes.empty()) return Applied::No("no step with a forward and a backward pass");
  const auto is_relu = [&](TaskId op) { return IsRelu(plan.facts(), op); };
  const bool any = std::any_of(passes.begin(), passes.end(), [&](const TrainingPass& pass) {
    return std::any_of(pass.forward.begin(), pass.forward.end(), is_relu);
  });
  if (!any) return Applied::No("no ReLU in the forward pass");
  double most = 0;
  const ChangeId encode = plan.AddChange("encoders behind ReLU", "inserted");
  const ChangeId decode = plan.AddChange("decoders before the gradient", "inserted");
  for (const TrainingPass& pass : passes) {
    double kept = 0;
    for (std::size_t i = 0; i < pass.forward.size(); ++i) {
      const TaskId op = pass.forward[i];
      if (!is_relu(op)) continue;
      kept += ResultBytes(plan, op);
      const TaskId user = pass.backward[pass.BackwardOf(pass.ForwardEnd(i))];
      plan.InsertKernelAfter(plan.CallOf(op), Coder(plan, op, op, "gist_encode", ratio), encode);
      plan.InsertKernelBefore(plan.CallOf(user), Coder(plan, op, user, "gist_decode", ratio),
                              decode);
    }
    most = std::max(most, kept);
  }
  plan.AddMemory(-most * (1 - 1 / ratio));
  plan.RestsOn(kInserted);
  plan.Assume("a coder takes as long as its ReLU, for the bytes that it moves");
  plan.Assume("results of ReLUs are kept 1/" + values.Text("ratio") + " as large");
  if (most <= 0) plan.Caution("nothing tells how large the results of the ReLUs are");
  plan.MakesSurer("how sparse they really are: --gist=ratio=...");
  return Applied::Yes();
}

}  // namespace

const WhatIf kGist = {"gist",
                      "Gist",
                      "results of ReLUs are kept in a smaller encoding; peak memory shrinks",
                      kInserted,
                      "ReLUs in training",
                      Effort::kDays,
                      {},
                      kGistOptions,
                      ApplyGist,
                      /*is_advice=*/false};

}  // namespace xsp
