#include "diff/runs/input_sizes.h"

#include <algorithm>
#include <string_view>

namespace xsp {
namespace {

bool WorksOnBatch(std::string_view name) {
  constexpr std::string_view kWords[] = {"linear", "conv", "mm", "matmul", "embedding", "norm"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != name.npos; });
}

// The earliest such operator; none: kMissing.
std::uint32_t FirstOperator(const Trace& trace, TimeRange unit) {
  const Operators& operators = trace.operators();
  std::uint32_t first = kMissing<std::uint32_t>;
  TimeNs earliest = 0;
  for (std::uint32_t i = 0; i < operators.event.size(); ++i) {
    if (!operators.signature[i].valid() || operators.is_backward[i] != 0) continue;
    const TimeNs begin = trace.begin(operators.event[i]);
    if (begin < unit.begin || begin >= unit.end) continue;
    if (first != kMissing<std::uint32_t> && begin >= earliest) continue;
    if (!WorksOnBatch(trace.strings()[operators.name[i]])) continue;
    first = i;
    earliest = begin;
  }
  return first;
}

}  // namespace

std::string InputSizes(const Trace& trace, TimeRange unit) {
  const std::uint32_t row = FirstOperator(trace, unit);
  if (row == kMissing<std::uint32_t>) return "";
  const SignatureId signature = trace.operators().signature[row];
  const Operands& operands = trace.operands();
  const auto [first, last] =
      std::equal_range(operands.signature.begin(), operands.signature.end(), signature);
  std::string words;
  std::pair<std::uint32_t, std::uint32_t> tensor = {kMissing<std::uint32_t>, 0};
  for (auto it = first; it != last; ++it) {
    const auto at = static_cast<std::size_t>(it - operands.signature.begin());
    if (operands.dimension[at] == kMissing<std::uint32_t>) continue;  // No tensor.
    const std::pair now = {operands.operand[at], operands.element[at]};
    if (now != tensor) words += words.empty() ? "" : " · ";
    if (now == tensor) words += "×";
    tensor = now;
    words += std::to_string(operands.size[at]);
  }
  return words;
}

}  // namespace xsp
