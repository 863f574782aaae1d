// Allocation that waits or does not.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

Scenario Workspaces() {
  samples::ScenarioOptions options;
  options.steps = 60;
  return samples::MakeAlloc(options);
}

// cudaMalloc that does not wait, cudaFree that does, with work of the host in between.
Scenario FreeWaits() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("sort_chunk", 140);
  script.Loop(80);
  script.Malloc(thread.context(), 8 << 20, false);
  script.Work(30'000);
  script.Launch(kernel, stream);
  script.Launch(kernel, stream);
  script.Free(thread.context(), 8 << 20).groups = samples::kGroupAlloc;
  script.Work(60'000);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

}  // namespace

std::vector<ProofCase> MemoryCases() {
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  const auto remove_alloc = [](Scenario& scenario) {
    scenario.program.Remove(samples::kGroupAlloc);
  };
  return {
      {"allocation that waits: kernels twice as fast", "cudaMalloc and cudaFree wait",
       "kernels × 0.5", Workspaces, halve, halve_graph},
      {"allocation that waits: removed", "cudaMalloc and cudaFree wait", "allocation removed",
       Workspaces, remove_alloc,
       [](Edit& edit) {
         edit.RemoveCalls("cudaMalloc_v");
         edit.RemoveCalls("cudaFree_v");
       }},
      {"free that waits: kernels twice as fast", "cudaFree waits, cudaMalloc does not",
       "kernels × 0.5", FreeWaits, halve, halve_graph},
      {"free that waits: removed", "cudaFree waits, cudaMalloc does not", "cudaFree removed",
       FreeWaits, remove_alloc, [](Edit& edit) { edit.RemoveCalls("cudaFree_v"); }},
  };
}

}  // namespace xsp::proof
