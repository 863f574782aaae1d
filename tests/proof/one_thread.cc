#include "tests/proof/one_thread.h"

namespace xsp::proof {

OneThread::OneThread(samples::Scenario& scenario, int32_t device)
    : program_(scenario.program),
      process_(program_.AddProcess("program")),
      context_(program_.AddContext(process_, device)),
      script_(program_, program_.AddThread(process_, "program")) {
  program_.threads[script_.thread()].start_ns = 2'000'000;
}

int32_t OneThread::Kernel(std::string_view name, int64_t us, int64_t blocks) {
  return program_.AddKernel(samples::PlainKernel(name, "float *, int", blocks, 1'000 * us));
}

void ScaleKernels(samples::Scenario& scenario, std::string_view part_of_name, int64_t permille) {
  for (samples::KernelSpec& kernel : scenario.program.kernels) {
    if (kernel.demangled.find(part_of_name) == std::string::npos) continue;
    kernel.duration_ns = kernel.duration_ns * permille / 1'000;
  }
}

void RemoveMarked(samples::Scenario& scenario) { scenario.program.Remove(samples::kGroupSync); }

void ForEachOp(samples::Scenario& scenario, const std::function<void(samples::Op&)>& change) {
  for (samples::Thread& thread : scenario.program.threads) {
    for (samples::Op& op : thread.ops) change(op);
  }
}

}  // namespace xsp::proof
