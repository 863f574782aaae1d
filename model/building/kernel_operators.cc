#include "model/building/kernel_operators.h"

#include <algorithm>
#include <map>
#include <utility>

namespace xsp {
namespace {

// Inputs of another trace's operations, as rows of this one's.
class SignatureCopier {
 public:
  SignatureCopier(const Trace* source, TraceTables& to) : source_(source), to_(to) {
    if (!to.operands.signature.empty()) next_ = to.operands.signature.back().value + 1;
  }

  SignatureId Copy(SignatureId signature) {
    if (source_ == nullptr || !signature.valid()) return {};
    const auto [first, last] = source_->OperandsOf(signature);
    if (first == last) return {};
    const auto [it, is_new] = copied_.try_emplace(signature, SignatureId(next_));
    if (!is_new) return it->second;
    ++next_;
    const Operands& from = source_->operands();
    for (std::uint32_t row = first; row < last; ++row) {
      Operands::Row copy;
      copy.signature = it->second;
      copy.operand = from.operand[row];
      copy.element = from.element[row];
      const StringId type = from.type[row];
      if (type.valid()) copy.type = to_.strings.Intern(source_->strings()[type]);
      copy.dimension = from.dimension[row];
      copy.size = from.size[row];
      to_.operands.Add(copy);
    }
    return it->second;
  }

 private:
  const Trace* source_;
  TraceTables& to_;
  std::uint32_t next_ = 0;
  std::map<SignatureId, SignatureId> copied_;
};

}  // namespace

Trace WithKernelOperators(Trace trace, const std::vector<KernelOperator>& kernels,
                          const Trace* source) {
  TraceTables tables = std::move(trace).Release();
  SignatureCopier signatures(source, tables);
  Operators rows;
  for (const KernelOperator& kernel : kernels) {
    Operators::Row row;
    row.event = kernel.kernel;
    const bool has_operation = !kernel.operation.empty();
    row.role = has_operation ? OperatorRole::kOperation : OperatorRole::kModule;
    row.name = tables.strings.Intern(has_operation ? kernel.operation : kernel.module);
    if (!kernel.module.empty()) row.module = tables.strings.Intern(kernel.module);
    row.signature = signatures.Copy(kernel.signature);
    row.id = kernel.instance;
    rows.Add(row);
  }
  // Kernels have smaller numbers than ranges: rows stay in the order of their events.
  ForEachColumn<Operators>([&](const Column&, auto member) {
    auto& to = rows.*member;
    const auto& from = tables.operators.*member;
    to.insert(to.end(), from.begin(), from.end());
  });
  tables.operators = std::move(rows);
  return Trace(std::move(tables));
}

std::uint32_t OperatorOfEvent(const Trace& trace, EventId event) {
  if (!trace.OfKind(EventKind::kKernel).Contains(event)) return trace.OperatorOf(event);
  const std::vector<EventId>& events = trace.operators().event;
  const auto it = std::lower_bound(events.begin(), events.end(), event);
  return it != events.end() && *it == event ? static_cast<std::uint32_t>(it - events.begin())
                                            : Trace::kNoOperator;
}

}  // namespace xsp
