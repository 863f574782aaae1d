#include "sample_traces/torch_script.h"

#include <utility>

namespace xsp::samples {

void OperatorNumbers::Number(Script& script, Op& op, int64_t sequence) {
  op.first = {sequence, next_operator_++};
  places_.push_back({script.thread(), script.program().threads[script.thread()].ops.size() - 1});
}

void OperatorNumbers::EndLoop(Program& program, int64_t repetitions) {
  const int64_t sequences = next_sequence_ - first_sequence_;
  const int64_t operators = next_operator_ - first_operator_;
  for (const Place& place : std::exchange(places_, {})) {
    program.threads[place.thread].ops[place.op].stride = {sequences, operators};
  }
  next_sequence_ = first_sequence_ += sequences * repetitions;
  next_operator_ = first_operator_ += operators * repetitions;
}

void TorchScript::Push(NvtxLevel level, std::string_view text, bool registered) {
  if (level_ < level) return;
  if (registered) {
    script_.PushRegistered(text);
  } else {
    script_.Push(text);
  }
}

void TorchScript::PushNumbered(NvtxLevel level, std::string_view text, int64_t first) {
  if (level_ >= level) script_.Push(text, first, 1);
}

void TorchScript::Pop(NvtxLevel level) {
  if (level_ >= level) script_.Pop();
}

void TorchScript::Begin(std::string_view name, int64_t sequence) {
  if (level_ < NvtxLevel::kOps) return;
  Op& op = script_.Push(std::string(name) + (sequence >= 0 ? ", seq = %0" : "") + ", op_id = %1");
  numbers_.Number(script_, op, sequence);
}

void TorchScript::Launch(const KernelSpec& kernel) {
  script_.Launch(script_.program().AddKernel(kernel), stream_);
}

int64_t TorchScript::Forward(const Operator& op) {
  const int64_t sequence = op.backward_name.empty() ? -1 : numbers_.NextSequence();
  Begin(op.name, sequence);
  if (!op.inner.empty()) {
    script_.Work(operator_ns_ / 4);
    Begin(op.inner, sequence);
  }
  script_.Work(operator_ns_);
  for (size_t i = 0; i < op.forward.size(); ++i) {
    if (i > 0) script_.Work(operator_ns_ / 3);
    Launch(op.forward[i]);
  }
  script_.Work(operator_ns_ / 5);
  if (!op.inner.empty()) End();
  End();
  return sequence;
}

void TorchScript::Backward(const Operator& op, int64_t sequence) {
  if (op.backward_name.empty()) return;
  Begin("autograd::engine::evaluate_function: " + op.backward_name);
  script_.Work(operator_ns_ / 4);
  Begin(op.backward_name, sequence);
  for (const KernelSpec& kernel : op.backward) {
    script_.Work(operator_ns_ / 2);
    Launch(kernel);
  }
  End();
  script_.Work(operator_ns_ / 5);
  End();
}

void TorchScript::Simple(std::string_view name, const std::vector<KernelSpec>& kernels) {
  Begin(name);
  for (const KernelSpec& kernel : kernels) {
    script_.Work(operator_ns_ / 2);
    Launch(kernel);
  }
  End();
}

void TorchScript::Item(uint32_t groups, int64_t every) {
  std::vector<Op>& ops = script_.program().threads[script_.thread()].ops;
  const size_t first = ops.size();
  Begin("aten::item");
  Begin("aten::_local_scalar_dense");
  script_.Work(operator_ns_ / 4);
  CopySpec copy;
  copy.kind = CopyKind::kDeviceToHost;
  copy.bytes = 4;
  copy.host = MemoryKind::kPinned;  // recent frameworks read through pinned memory
  script_.Copy(copy, stream_);
  script_.StreamSync(stream_);
  End();
  End();
  for (size_t i = first; i < ops.size(); ++i) {
    ops[i].groups |= groups;
    ops[i].every = every;
  }
}

}  // namespace xsp::samples
