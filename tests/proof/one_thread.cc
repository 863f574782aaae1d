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

std::function<void(samples::Scenario&)> Kernels(std::string_view part_of_name, int64_t permille) {
  return [=](samples::Scenario& scenario) { ScaleKernels(scenario, part_of_name, permille); };
}

std::function<void(Edit&)> GraphKernels(std::string_view part_of_name, double factor) {
  return [=](Edit& edit) { edit.ScaleKernels(part_of_name, factor); };
}

void RemoveMarked(samples::Scenario& scenario) { scenario.program.Remove(samples::kGroupSync); }

std::function<void(Edit&)> RemoveReads(std::uint32_t skipped) {
  return [skipped](Edit& edit) {
    edit.RemoveCalls("cudaStreamSynchronize", skipped);
    const TaskGraph& graph = edit.graph();
    for (OpIndex row : graph.op_rows()) {
      if (graph.op_class[row] == OpClass::kDtoH) edit.RemoveCall(graph.call[row]);
    }
  };
}

void PinCopies(samples::Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    const bool is_copy = op.kind == samples::OpKind::kCopy;
    if (!is_copy || op.copy.kind == samples::CopyKind::kDeviceToDevice) return;
    op.copy.host = samples::MemoryKind::kPinned;
    op.copy.async = true;
  });
}

void PinGraphCopies(Edit& edit) {
  const samples::MachineConfig machine;
  const auto pinned = [machine](std::uint64_t bytes) {
    const auto transfer = static_cast<int64_t>(bytes) * 1'000 / machine.pinned_rate;
    return NewCopy{machine.copy_base_ns + transfer, machine.copy_call_ns};
  };
  edit.MakeCopiesAsync(OpClass::kHtoD, pinned);
  edit.MakeCopiesAsync(OpClass::kDtoH, pinned);
}

std::function<void(samples::Scenario&)> Change(std::string_view name) {
  return [name](samples::Scenario& scenario) { samples::ApplyChange(name, scenario); };
}

void ForEachOp(samples::Scenario& scenario, const std::function<void(samples::Op&)>& change) {
  for (samples::Thread& thread : scenario.program.threads) {
    for (samples::Op& op : thread.ops) change(op);
  }
}

}  // namespace xsp::proof
