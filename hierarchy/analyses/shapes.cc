#include "hierarchy/analyses/shapes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "model/building/kernel_operators.h"

namespace xsp {
namespace {

double Product(const std::vector<std::uint64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                         [](double a, std::uint64_t b) { return a * static_cast<double>(b); });
}

// "addmm" of "aten::addmm"; empty for what is no operation of PyTorch.
std::string_view OperationOf(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  if (name.starts_with("_") && name != "_convolution") name.remove_prefix(1);
  return name;
}

// A of sizes (batch x) M x K times B of (batch x) K x N.
std::optional<OperationCost> Multiply(const std::vector<std::uint64_t>& a,
                                      const std::vector<std::uint64_t>& b, std::size_t dimensions,
                                      bool adds) {
  if (a.size() != dimensions || b.size() != dimensions) return std::nullopt;
  if (a.back() != b[dimensions - 2] || (dimensions == 3 && a[0] != b[0])) return std::nullopt;
  const auto n = static_cast<double>(b.back());
  const double results = Product(a) / std::max<double>(1, static_cast<double>(a.back())) * n;
  return OperationCost{2 * Product(a) * n, Product(a) + Product(b) + (adds ? results : 0), results};
}

std::optional<OperationCost> TimesVector(const std::vector<std::uint64_t>& a,
                                         const std::vector<std::uint64_t>& b) {
  if (a.size() != 2 || b.size() != 1 || a[1] != b[0]) return std::nullopt;
  return OperationCost{2 * Product(a), Product(a) + Product(b), static_cast<double>(a[0])};
}

// Input (... x K), weight N x K.
std::optional<OperationCost> Linear(const std::vector<std::uint64_t>& input,
                                    const std::vector<std::uint64_t>& weight) {
  if (input.empty() || weight.size() != 2 || input.back() != weight[1]) return std::nullopt;
  const auto n = static_cast<double>(weight[0]);
  const double rows = Product(input) / std::max<double>(1, static_cast<double>(input.back()));
  return OperationCost{2 * Product(input) * n, Product(input) + Product(weight), rows * n};
}

// The name of the operator that wrote a range; empty for other ranges.
std::string_view NameOfOperator(const Trace& trace, EventId range) {
  const std::uint32_t op = OperatorOfEvent(trace, range);
  return op == Trace::kNoOperator ? std::string_view{}
                                  : trace.strings()[trace.operators().name[op]];
}

// The rows of operands() that describe the inputs of a range.
std::pair<std::uint32_t, std::uint32_t> OperandRows(const Trace& trace, EventId range) {
  const std::uint32_t op = OperatorOfEvent(trace, range);
  if (op == Trace::kNoOperator) return {0, 0};
  return trace.OperandsOf(trace.operators().signature[op]);
}

}  // namespace

OperandSizes RecordedSizes(const Trace& trace, EventId range) {
  const Operands& operands = trace.operands();
  const auto [first, last] = OperandRows(trace, range);
  OperandSizes sizes;
  for (std::uint32_t row = first; row < last; ++row) {
    const bool is_new = row == first || operands.operand[row] != operands.operand[row - 1];
    if (is_new) sizes.emplace_back();
    const bool in_list = operands.element[row] != kMissing<std::uint32_t>;
    const std::uint64_t size = operands.size[row];
    if (!in_list && size != kMissing<std::uint64_t>) sizes.back().push_back(size);
  }
  return sizes;
}

std::string SizesText(const Trace& trace, EventId range) {
  const Operands& operands = trace.operands();
  const auto [first, last] = OperandRows(trace, range);
  if (first == last) return {};
  std::string text = "[";
  for (std::uint32_t row = first; row < last; ++row) {
    const bool in_list = operands.element[row] != kMissing<std::uint32_t>;
    const bool new_operand = row == first || operands.operand[row] != operands.operand[row - 1];
    const bool new_tensor = new_operand || operands.element[row] != operands.element[row - 1];
    if (new_operand) text += row == first ? "" : ", ";
    if (new_operand && in_list) text += '[';
    if (new_tensor && !new_operand) text += ", ";
    if (new_tensor) text += '[';
    const std::uint64_t size = operands.size[row];
    if (!new_tensor) text += ", ";
    if (size != kMissing<std::uint64_t>) text += std::to_string(size);
    const bool ends_operand = row + 1 == last || operands.operand[row + 1] != operands.operand[row];
    if (ends_operand || operands.element[row + 1] != operands.element[row]) text += ']';
    if (ends_operand && in_list) text += ']';
  }
  return text + "]";
}

std::optional<OperationCost> MatrixProductCost(std::string_view full_name,
                                               const OperandSizes& sizes) {
  const std::string_view name = OperationOf(full_name);
  if (name.empty()) return std::nullopt;
  const auto has = [&](std::size_t count) { return sizes.size() >= count; };
  if (name == "mm" && has(2)) return Multiply(sizes[0], sizes[1], 2, false);
  if (name == "addmm" && has(3)) return Multiply(sizes[1], sizes[2], 2, true);
  if (name == "addmm_activation" && has(3)) return Multiply(sizes[1], sizes[2], 2, true);
  if (name == "bmm" && has(2)) return Multiply(sizes[0], sizes[1], 3, false);
  if ((name == "baddbmm" || name == "baddbmm_") && has(3)) {
    return Multiply(sizes[1], sizes[2], 3, true);
  }
  if (name == "mv" && has(2)) return TimesVector(sizes[0], sizes[1]);
  if ((name == "addmv" || name == "addmv_") && has(3)) return TimesVector(sizes[1], sizes[2]);
  if (name == "linear" && has(2)) return Linear(sizes[0], sizes[1]);
  return std::nullopt;
}

std::optional<OperationCost> MatrixProductCost(const Trace& trace, EventId range) {
  return MatrixProductCost(NameOfOperator(trace, range), RecordedSizes(trace, range));
}

std::optional<std::uint64_t> ConvolutionInnerSize(std::string_view full_name,
                                                  const OperandSizes& sizes) {
  constexpr std::array<std::string_view, 6> kForward = {
      "conv1d", "conv2d", "conv3d", "convolution", "_convolution", "cudnn_convolution"};
  const std::string_view name = OperationOf(full_name);
  if (std::find(kForward.begin(), kForward.end(), name) == kForward.end()) return std::nullopt;
  if (sizes.size() < 2 || sizes[1].size() < 3 || sizes[0].size() != sizes[1].size()) {
    return std::nullopt;
  }
  const std::vector<std::uint64_t> filter(sizes[1].begin() + 1, sizes[1].end());
  const double inner = Product(filter);
  constexpr double kMost = 1e15;
  if (inner < 1 || inner > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(inner);
}

std::optional<std::uint64_t> ConvolutionInnerSize(const Trace& trace, EventId range) {
  return ConvolutionInnerSize(NameOfOperator(trace, range), RecordedSizes(trace, range));
}

}  // namespace xsp
