#include "sim/whatifs/kernels/rewrite.h"

#include <algorithm>

namespace xsp {

bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool IsRelu(const WorkFacts& facts, TaskId op) {
  const KernelClass of = facts[op].kind.kernel_class;
  if (of != KernelClass::kElementwise && of != KernelClass::kOther) return false;
  // PyTorch writes relu as a clamp from below and its gradient as a threshold.
  constexpr std::string_view kGradient = "threshold";
  return HoldsAny(facts.Name(op),
                  {"relu", "ReLU", "Relu", "clamp_scalar", "clamp_min", kGradient}) ||
         HoldsAny(facts.Operation(op), {"relu", "Relu", "clamp_min", kGradient});
}

TaskId ReplaceKernels(Plan& plan, const std::vector<TaskId>& ops, const NewKernel& kernel,
                      ChangeId change) {
  const TaskId call = plan.CallOf(ops.front());
  const TaskGraph& graph = plan.graph();
  const bool is_alone = graph.OpsOf(call).size() == 1;
  const TaskId made = is_alone ? plan.InsertKernelBefore(call, kernel, change)
                               : plan.IssueKernel(call, kernel, change);
  for (const TaskId op : ops) plan.RemoveWithHost(op, change);
  return made;
}

double ResultBytes(const Plan& plan, TaskId op) {
  const WorkFact& fact = plan.facts()[op];
  const double each = BytesPerElement(fact.kind.precision);
  const bool is_matrix =
      fact.kind.kernel_class == KernelClass::kGemm || fact.kind.kernel_class == KernelClass::kConv;
  if (!is_matrix) return each * ElementsOf(plan.graph(), plan.facts(), plan.machine(), op);
  if (fact.operation_range.valid()) {
    const auto cost = MatrixProductCost(*plan.graph().trace, fact.operation_range);
    if (cost) return each * cost->written_elements;
  }
  const MatrixWork work = MatrixWorkOf(plan.graph(), plan.facts(), op);
  // Slices are products of a batch or parts of one sum; the least that it can be is one result.
  if (work.shape) return each * static_cast<double>(work.shape->outputs);
  const OperandSizes operands = RecordedOperands(plan.graph(), plan.facts(), op);
  return operands.empty() || operands.front().empty() ? 0 : each * ElementCount(operands.front());
}

std::vector<double> ResultBytes(const Plan& plan, const std::vector<TaskId>& ops) {
  std::vector<double> bytes;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const EventId range = plan.facts()[ops[i]].operation_range;
    const bool is_last =
        !range.valid() || i + 1 == ops.size() || plan.facts()[ops[i + 1]].operation_range != range;
    bytes.push_back(is_last ? ResultBytes(plan, ops[i]) : 0);
  }
  return bytes;
}

}  // namespace xsp
