#include "sample_traces/scenarios.h"

#include <algorithm>
#include <stdexcept>

namespace xsp::samples {
namespace {

void ScaleKernels(Scenario& scenario, std::string_view part_of_name, int64_t permille) {
  for (KernelSpec& kernel : scenario.program.kernels) {
    if (kernel.demangled.find(part_of_name) != std::string::npos) {
      kernel.duration_ns = kernel.duration_ns * permille / 1'000;
    }
  }
}

template <typename Change>
void ForEachOp(Scenario& scenario, Change change) {
  for (Thread& thread : scenario.program.threads) {
    for (Op& op : thread.ops) change(op);
  }
}

template <typename Entry>
[[noreturn]] void ThrowUnknown(std::string_view what, std::string_view name,
                               const std::vector<Entry>& entries) {
  std::string known;
  for (const Entry& entry : entries) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw std::runtime_error("unknown " + std::string(what) + " '" + std::string(name) +
                           "'; there are " + known);
}

void HalveKernels(Scenario& scenario) { ScaleKernels(scenario, "", 500); }
void HalveGemms(Scenario& scenario) { ScaleKernels(scenario, "gemm", 500); }
void DoubleKernels(Scenario& scenario) { ScaleKernels(scenario, "", 2'000); }
void RemoveSyncs(Scenario& scenario) { scenario.program.Remove(kGroupSync); }
void RemoveAllocation(Scenario& scenario) { scenario.program.Remove(kGroupAlloc); }
void CheapenLaunches(Scenario& scenario) { scenario.machine.launch_ns /= 4; }

void PinCopies(Scenario& scenario) {
  ForEachOp(scenario, [](Op& op) {
    const bool has_host_end =
        op.copy.kind == CopyKind::kHostToDevice || op.copy.kind == CopyKind::kDeviceToHost;
    if (op.kind == OpKind::kCopy && has_host_end) op.copy.host = MemoryKind::kPinned;
  });
}

void HalveHostWork(Scenario& scenario) {
  ForEachOp(scenario, [](Op& op) {
    if (op.kind == OpKind::kWork) op.amount /= 2;
  });
}

void SpeedUpLoading(Scenario& scenario) {
  ForEachOp(scenario, [](Op& op) {
    if ((op.groups & kGroupLoading) != 0) op.amount /= 8;
  });
}

}  // namespace

const std::vector<ScenarioEntry>& Scenarios() {
  static const std::vector<ScenarioEntry> entries = {
      {"train", "language-model training: loader, layers, autograd thread, optimizer", MakeTrain},
      {"infer", "image classification: pre-process, predict layer by layer, post-process",
       MakeInfer},
      {"multi", "data-parallel training: a process for each GPU, NCCL all-reduce", MakeMulti},
      {"streams", "pipelines on many streams with events and the legacy default stream",
       MakeStreams},
      {"copies", "every kind of copy, on a busy device", MakeCopies},
      {"alloc", "cudaMalloc and cudaFree that wait for the device, and a pool", MakeAlloc},
      {"graphs", "CUDA graphs, traced node by node or as a whole", MakeGraphs},
      {"hpc", "time steps without any NVTX; fills the launch queue", MakeHpc},
      {"serve", "a serving engine on tensor-parallel ranks: prefill, decode from CUDA graphs",
       MakeServe},
  };
  return entries;
}

Scenario MakeScenario(std::string_view name, const ScenarioOptions& options) {
  for (const ScenarioEntry& entry : Scenarios()) {
    if (entry.name != name) continue;
    Scenario scenario = entry.make(options);
    scenario.machine.seed = options.seed;
    scenario.machine.queue_depth = options.queue_depth;
    return scenario;
  }
  ThrowUnknown("scenario", name, Scenarios());
}

int64_t StepsForKernels(std::string_view name, const ScenarioOptions& options, int64_t kernels) {
  ScenarioOptions probe = options;
  const auto count = [&](int64_t steps) {
    probe.steps = steps;
    return MakeScenario(name, probe).program.CountKernels();
  };
  const int64_t some = options.sync_every;  // a round in which everything happens
  const int64_t first = count(some);
  const int64_t more = std::max<int64_t>(1, count(2 * some) - first);
  return std::max<int64_t>(1, some + ((kernels - first) * some + more - 1) / more);
}

const std::vector<ChangeEntry>& Changes() {
  static const std::vector<ChangeEntry> entries = {
      {"kernels-half", "every kernel takes half as long", HalveKernels},
      {"kernels-double", "every kernel takes twice as long", DoubleKernels},
      {"gemm-half", "every matrix multiplication takes half as long", HalveGemms},
      {"no-sync", "waiting that the program could do without is gone", RemoveSyncs},
      {"no-alloc", "allocation in the steps is gone", RemoveAllocation},
      {"cheap-launch", "a launch costs the host a quarter", CheapenLaunches},
      {"pinned", "all host memory that is copied is pinned", PinCopies},
      {"host-half", "host work between calls takes half as long", HalveHostWork},
      {"fast-loader", "loading data takes an eighth", SpeedUpLoading},
  };
  return entries;
}

void ApplyChange(std::string_view name, Scenario& scenario) {
  for (const ChangeEntry& entry : Changes()) {
    if (entry.name == name) return entry.apply(scenario);
  }
  ThrowUnknown("change", name, Changes());
}

}  // namespace xsp::samples
