#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace xsp {

// The sizes of an operation's operands: a list per operand, empty for scalars and for lists of
// tensors.
using OperandSizes = std::vector<std::vector<std::uint64_t>>;

// What the framework recorded of an operation's inputs. Empty where it recorded none.
OperandSizes RecordedSizes(const Trace& trace, EventId range);

// The same as text, "[[32, 128], [128, 64]]"; lists of tensors in brackets of their own.
std::string SizesText(const Trace& trace, EventId range);

// What an operation takes at least: each operand read once, each result written once.
struct OperationCost {
  double flops = 0;
  double read_elements = 0;
  double written_elements = 0;

  bool operator==(const OperationCost&) const = default;
};

// Of matrix products (mm, addmm, bmm, baddbmm, linear, mv, dot and their kin), by the operation's
// name, "aten::mm". Nothing for other operations, or where the sizes do not fit together.
std::optional<OperationCost> MatrixProductCost(std::string_view name, const OperandSizes& sizes);
std::optional<OperationCost> MatrixProductCost(const Trace& trace, EventId range);

// Of a convolution: how many products each result sums up (channels times the filter's size). The
// number of results is not among the recorded sizes.
std::optional<std::uint64_t> ConvolutionInnerSize(std::string_view name, const OperandSizes& sizes);
std::optional<std::uint64_t> ConvolutionInnerSize(const Trace& trace, EventId range);

}  // namespace xsp
