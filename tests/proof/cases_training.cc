// Frameworks: an autograd thread, an optimizer, a data loader, inference.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Bound;
using samples::Precision;
using samples::Scenario;

std::function<Scenario()> Train(Bound bound, Precision precision = Precision::kFp32) {
  return [=] {
    samples::ScenarioOptions options;
    options.bound = bound;
    options.precision = precision;
    options.steps = 12;
    return samples::MakeTrain(options);
  };
}

// Loads its data itself, between the steps.
Scenario LoadsInline() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("train_step", 400);
  script.Loop(60);
  script.Push("load_batch");
  script.Work(1'500'000).groups = samples::kGroupLoading;
  script.Pop();
  for (int i = 0; i < 3; ++i) {
    script.Work(8'000);
    script.Launch(kernel, thread.default_stream());
  }
  script.StreamSync(thread.default_stream());
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

Scenario Inference() {
  samples::ScenarioOptions options;
  options.steps = 40;
  options.layers = 4;
  return samples::MakeInfer(options);
}

void LoadFaster(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if ((op.groups & samples::kGroupLoading) != 0) op.amount /= 8;
  });
}

}  // namespace

std::vector<ProofCase> TrainingCases() {
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  return {
      {"training: kernels twice as fast", "training, GPU-bound", "kernels × 0.5",
       Train(Bound::kGpu), Change("kernels-half"), halve_graph},
      {"training: matrix multiplications twice as fast", "training, GPU-bound", "GEMMs × 0.5",
       Train(Bound::kGpu), Change("gemm-half"), [](Edit& edit) { edit.ScaleKernels("gemm", 0.5); }},
      {"training: the loss is not read", "training, GPU-bound", "sync removed", Train(Bound::kGpu),
       Change("no-sync"), RemoveReads(1)},
      {"training in mixed precision: kernels twice as fast", "training, mixed precision",
       "kernels × 0.5", Train(Bound::kGpu, Precision::kAmp), Change("kernels-half"), halve_graph},
      {"host-bound training: kernels twice as fast", "training, host-bound", "kernels × 0.5",
       Train(Bound::kHost), Change("kernels-half"), halve_graph},
      {"host-bound training: launches cheaper", "training, host-bound", "launch cost × 0.25",
       Train(Bound::kHost), Change("cheap-launch"),
       [](Edit& edit) { edit.ScaleCalls("cudaLaunchKernel", 0.25); }},
      {"host-bound training: half the host work", "training, host-bound", "host gaps × 0.5",
       Train(Bound::kHost), Change("host-half"), [](Edit& edit) { edit.ScaleGaps(0.5); }},
      {"input-bound training: loader eight times as fast", "training, a loader thread too slow",
       "waiting for data × 0", Train(Bound::kInput), Change("fast-loader"),
       [](Edit& edit) { edit.ScaleLoads(0); }},
      {"input-bound training: loader a quarter faster", "training, a loader thread too slow",
       "loader × 0.75", Train(Bound::kInput),
       [](Scenario& scenario) {
         ForEachOp(scenario, [](samples::Op& op) {
           if ((op.groups & samples::kGroupLoading) != 0) op.amount = op.amount * 3 / 4;
         });
       },
       [](Edit& edit) { edit.ScaleLoads(0.75); }},
      {"data loaded inline: eight times as fast", "data loaded between steps", "loading × 0.125",
       LoadsInline, LoadFaster, [](Edit& edit) { edit.ScaleLoads(0.125); }},
      {"inference: kernels twice as fast", "inference, pageable copies", "kernels × 0.5", Inference,
       Change("kernels-half"), halve_graph},
  };
}

}  // namespace xsp::proof
