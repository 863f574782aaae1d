#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"
#include "sim/whatifs/parallel/training_pass.h"

// Activation checkpointing: the forward pass keeps what its segments begin with; the backward pass
// runs each segment forward again before it goes through it.
namespace xsp {
namespace {

constexpr WhatIfOption kCheckpointOptions[] = {
    {"segments", "8", "how many pieces of the model keep only what they begin with"},
    {"activations", "",
     "bytes that the forward pass keeps now; by default what its kernels write"}};

// What one step's forward pass keeps, at most: everything that its kernels write.
double KeptBytes(const Plan& plan, const TrainingPass& pass) {
  const std::vector<double> bytes = ResultBytes(plan, pass.forward);
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

void Recompute(Plan& plan, const TrainingPass& pass, const LayerPiece& piece, ChangeId change) {
  const TaskId before = plan.CallOf(pass.backward[piece.backward_begin]);
  for (std::size_t i = piece.forward_begin; i < piece.forward_end; ++i) {
    const TaskId op = pass.forward[i];
    const double ns = static_cast<double>(plan.Own(op));
    NewKernel kernel;
    kernel.name = plan.facts().Name(op);
    kernel.kind = plan.facts()[op].kind;
    kernel.ns = {ns, ns, ns};
    kernel.stream = plan.graph().lane[pass.backward[piece.backward_begin]];
    plan.InsertKernelBefore(before, kernel, change);
  }
}

Applied ApplyCheckpoint(Plan& plan, const WhatIfValues& values) {
  const std::uint32_t segments = values.Count("segments");
  if (segments == 0) throw Error("--checkpoint: segments must be at least 1", "");
  const std::vector<TrainingPass> passes = FindPasses(plan);
  if (passes.empty()) return Applied::No("no step with a forward and a backward pass");
  double kept = 0;
  const ChangeId change = plan.AddChange("forward pass once more", "phase=forward");
  for (const TrainingPass& pass : passes) {
    for (const LayerPiece& piece : CutPass(pass, segments)) Recompute(plan, pass, piece, change);
    kept = std::max(kept, KeptBytes(plan, pass));
  }
  const bool is_given = values.IsGiven("activations");
  if (is_given) kept = values.Bytes("activations");
  // One segment is there at a time, and what each begins with.
  if (kept > 0) plan.AddMemory(-kept * (1 - 1.0 / segments));
  plan.RestsOn(kInserted);
  plan.Assume("every kernel of the forward pass runs a second time, as long as the first time");
  plan.Assume("segments are of equal forward time; their gradients come in the reverse order");
  if (kept > 0 && !is_given) {
    plan.Assume("memory: what forward kernels write, by recorded sizes, tiles and grids");
    plan.Caution("the backward pass may not need all of that: the memory saved is at most this");
  }
  if (kept <= 0) plan.Caution("nothing tells how large the activations are: give activations=");
  if (!is_given) plan.MakesSurer("--checkpoint=activations=...");
  return Applied::Yes();
}

}  // namespace

const WhatIf kCheckpoint = {"checkpoint",
                            "Activation checkpointing",
                            "the backward pass computes activations anew; peak memory shrinks",
                            kInserted,
                            "a forward and a backward pass",
                            Effort::kLines,
                            {},
                            kCheckpointOptions,
                            ApplyCheckpoint,
                            /*is_advice=*/false};

}  // namespace xsp
