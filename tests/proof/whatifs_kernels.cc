// What-ifs that make device work shorter: formats, fusion, faster kernels, larger batches.
#include "tests/proof/one_thread.h"
#include "tests/proof/whatif_options.h"

namespace xsp::proof {
namespace {

using samples::Bound;
using samples::Scenario;

void Gpu(Options&) {}
void Host(Options& options) { options.bound = Bound::kHost; }
void Wide(Options& options) { options.hidden = 2'048; }
void Narrow(Options& options) { options.hidden = 512; }
void Deep(Options& options) { options.layers = 6; }
void SmallBatch(Options& options) { options.batch = 2; }
void LargeBatch(Options& options) { options.batch = 24; }
void NoRead(Options& options) { options.sync_every = 1'000; }

void Bf16(Options& options) {
  options.precision = samples::Precision::kAmp;
  options.scaler = false;
}
void Fp16(Options& options) { options.precision = samples::Precision::kAmp; }
void FusedOptimizer(Options& options) { options.fused_optimizer = true; }
void FusedChains(Options& options) { options.fused_pointwise = true; }

std::function<void(Options&)> Chains(int64_t length, void (*also)(Options&) = Gpu) {
  return [=](Options& options) {
    also(options);
    options.pointwise = length;
  };
}

std::vector<WhatIfCase> AmpCases() {
  const std::string bf16 = "--amp=bf16", fp16 = "--amp=fp16";
  return {
      TrainingCase("amp: training", "training, GPU-bound", bf16, Gpu, Bf16),
      TrainingCase("amp: training with loss scaling", "training, GPU-bound", fp16, Gpu, Fp16),
      TrainingCase("amp: wide training", "training, hidden size 2048", bf16, Wide, Bf16),
      // The machine's products are equally fast at every size; those of real GPUs are slower where
      // their blocks do not fill it, which the forecast assumes unless it is told.
      TrainingCase("amp: narrow training", "training, hidden size 512", "--amp=bf16,matrix=10.2",
                   Narrow, Bf16),
      TrainingCase("amp: deep training", "training, 6 layers", bf16, Deep, Bf16),
      TrainingCase("amp: small batch", "training, batch of 2", bf16, SmallBatch, Bf16),
      TrainingCase("amp: large batch", "training, batch of 24", fp16, LargeBatch, Fp16),
      TrainingCase("amp: host-bound training", "training, host-bound", bf16, Host, Bf16),
      TrainingCase("amp: host-bound training with loss scaling", "training, host-bound", fp16, Host,
                   Fp16),
      TrainingCase("amp: loss not read", "training, loss never read", bf16, NoRead, Bf16),
  };
}

std::vector<WhatIfCase> FusionCases() {
  return {
      TrainingCase("fused optimizer: training", "training, GPU-bound", "--fused-optimizer", Gpu,
                   FusedOptimizer),
      TrainingCase("fused optimizer: wide training", "training, hidden size 2048",
                   "--fused-optimizer", Wide, FusedOptimizer),
      TrainingCase("fused optimizer: host-bound training", "training, host-bound",
                   "--fused-optimizer", Host, FusedOptimizer),
      TrainingCase("fuse: chains of 3", "training, chains of 3 elementwise kernels",
                   "--fuse=least=3", Chains(3), FusedChains),
      TrainingCase("fuse: chains of 8", "training, chains of 8 elementwise kernels",
                   "--fuse=least=3", Chains(8), FusedChains),
      TrainingCase("fuse: host-bound chains of 6", "training, host-bound, chains of 6",
                   "--fuse=least=3", Chains(6, Host), FusedChains),
  };
}

std::function<Scenario()> Train(void (*set)(Options&), int64_t permille, std::string part) {
  return [=] {
    Options options;
    options.steps = 16;
    set(options);
    Scenario scenario = samples::MakeTrain(options);
    ScaleKernels(scenario, part, permille);
    return scenario;
  };
}

std::vector<WhatIfCase> FasterCases() {
  return {
      {"faster: products twice as fast", "training, GPU-bound", "--faster=name=*sgemm*,by=2",
       Train(Gpu, 1'000, "sgemm"), Train(Gpu, 500, "sgemm")},
      {"faster: products four times as fast in a host-bound step", "training, host-bound",
       "--faster=name=*sgemm*,by=4", Train(Host, 1'000, "sgemm"), Train(Host, 250, "sgemm")},
      {"faster: layer norms ten times as fast", "training, GPU-bound",
       "--faster=name=*layer_norm*,by=10", Train(Gpu, 1'000, "layer_norm"),
       Train(Gpu, 100, "layer_norm")},
  };
}

std::vector<WhatIfCase> BatchCases() {
  const auto times = [](int64_t factor) {
    return [=](Options& options) { options.batch *= factor; };
  };
  return {
      TrainingCase("batch: twice as large", "training, GPU-bound", "--batch=2", Gpu, times(2)),
      TrainingCase("batch: four times as large", "training, GPU-bound", "--batch=4", Gpu, times(4)),
      TrainingCase("batch: twice as large in a host-bound step", "training, host-bound",
                   "--batch=2", Host, times(2)),
  };
}

}  // namespace

std::vector<WhatIfCase> KernelWhatIfs() {
  std::vector<WhatIfCase> all;
  for (const auto& part : {AmpCases(), FusionCases(), FasterCases(), BatchCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace xsp::proof
