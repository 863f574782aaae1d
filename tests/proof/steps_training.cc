// Steps of a training: autograd thread, loader thread, ranks that exchange gradients.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Bound;
using samples::Scenario;

samples::ScenarioOptions TrainingOptions(Bound bound, int64_t steps) {
  samples::ScenarioOptions options;
  options.bound = bound;
  options.steps = steps;
  return options;
}

std::function<Scenario()> Train(Bound bound, int64_t sync_every = 1) {
  return [=] {
    samples::ScenarioOptions options = TrainingOptions(bound, 16);
    options.sync_every = sync_every;
    return samples::MakeTrain(options);
  };
}

Scenario TwoRanks() { return samples::MakeMulti(TrainingOptions(Bound::kGpu, 12)); }

// Two ranks whose gradients are summed on a stream of their own while the next step's first half
// computes; only its second half needs them.
Scenario LateAllReduce() {
  Scenario scenario;
  samples::Communicator communicator;
  std::vector<OneThread> ranks;
  for (int32_t device : {0, 1}) {
    ranks.emplace_back(scenario, device);
    communicator.contexts.push_back(ranks.back().context());
  }
  scenario.program.communicators.push_back(communicator);
  const int32_t reduce = scenario.program.AddKernel(samples::AllReduceKernel(2));
  for (OneThread& rank : ranks) {
    samples::Script& script = rank.script();
    const int32_t compute = rank.Stream();
    const int32_t exchange = rank.Stream();
    const int32_t ready = rank.program().AddEvent(rank.context());
    const int32_t summed = rank.program().AddEvent(rank.context());
    const int32_t forward = rank.Kernel("forward", 90);
    const int32_t backward = rank.Kernel("backward", 160);
    script.Malloc(rank.context(), 1 << 20, false);
    script.Loop(30);
    script.Push("step %0", 0, 1);
    for (int i = 0; i < 5; ++i) {
      script.Work(9'000);
      script.Launch(forward, compute);
    }
    script.StreamWait(compute, summed);
    for (int i = 0; i < 5; ++i) {
      script.Work(9'000);
      script.Launch(backward, compute);
    }
    script.EventRecord(ready, compute);
    script.StreamWait(exchange, ready);
    script.Collective(reduce, exchange, 0, 380'000);
    script.EventRecord(summed, exchange);
    script.Pop();
    script.Work(6'000);
    script.EndLoop();
    script.DeviceSync(rank.context());
  }
  return scenario;
}

void ScaleNetwork(Scenario& scenario, int64_t permille) {
  ForEachOp(scenario, [=](samples::Op& op) {
    if (op.kind == samples::OpKind::kCollective) op.amount = op.amount * permille / 1'000;
  });
}

void HalveLoading(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if ((op.groups & samples::kGroupLoading) != 0) op.amount /= 2;
  });
}

// Kernels, but not collectives: these take what the network takes.
std::function<void(Edit&)> ComputeKernels(double factor) {
  return [=](Edit& edit) {
    edit.ScaleKernels("", factor);
    edit.ScaleKernels("nccl", 1 / factor);
  };
}

}  // namespace

std::vector<ProofCase> TrainingSteps() {
  const char* const late = "2 ranks, all-reduce across the border";
  return {
      {"training step: the loss is not read", "training, loss read in every step", "sync removed",
       Train(Bound::kGpu), Change("no-sync"), RemoveReads()},
      {"training step: kernels twice as fast", "training, loss read in every step", "kernels × 0.5",
       Train(Bound::kGpu), Change("kernels-half"), [](Edit& edit) { edit.ScaleKernels("", 0.5); }},
      {"training step: the loss is not read any more", "training, loss read in every 4th step",
       "sync removed", Train(Bound::kGpu, 4), Change("no-sync"), RemoveReads()},
      {"host-bound training step: half the host work", "training, host-bound", "host gaps × 0.5",
       Train(Bound::kHost), Change("host-half"), [](Edit& edit) { edit.ScaleGaps(0.5); }},
      {"host-bound training step: kernels twice as slow", "training, host-bound", "kernels × 2",
       Train(Bound::kHost), Change("kernels-double"), [](Edit& edit) { edit.ScaleKernels("", 2); }},
      {"host-bound training step: launches cheaper", "training, host-bound", "launch cost × 0.25",
       Train(Bound::kHost), Change("cheap-launch"),
       [](Edit& edit) { edit.ScaleCalls("cudaLaunchKernel", 0.25); }},
      {"step of two ranks: the loss is not read", "2 ranks", "sync removed", TwoRanks,
       Change("no-sync"), RemoveReads()},
      {"step of two ranks: kernels twice as fast", "2 ranks", "kernels × 0.5, not the collectives",
       TwoRanks, Change("kernels-half"), ComputeKernels(0.5)},
      {"all-reduce across the border: network half as fast", late, "collectives × 2", LateAllReduce,
       [](Scenario& scenario) { ScaleNetwork(scenario, 2'000); },
       [](Edit& edit) { edit.ScaleKernels("nccl", 2); }},
      {"all-reduce across the border: kernels a quarter", late,
       "kernels × 0.25, not the collectives", LateAllReduce,
       [](Scenario& scenario) { ScaleKernels(scenario, "", 250); }, ComputeKernels(0.25)},
      {"step behind a slow loader: kernels twice as fast", "training, a loader thread too slow",
       "kernels × 0.5", Train(Bound::kInput), Change("kernels-half"),
       [](Edit& edit) { edit.ScaleKernels("", 0.5); }},
      {"step behind a slow loader: loader twice as fast", "training, a loader thread too slow",
       "loader × 0.5", Train(Bound::kInput), HalveLoading,
       [](Edit& edit) { edit.ScaleLoads(0.5); }},
  };
}

}  // namespace xsp::proof
