#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace xsp {

// The sizes of an operation's operands: a list per operand, empty for scalars.
using OperandSizes = std::vector<std::vector<std::uint64_t>>;

// What PyTorch writes into a range's name with record_shapes=True:
// "aten::mm, seq = 5, sizes = [[32, 128], [128, 64]]". Empty where the name has no sizes.
OperandSizes RecordedSizes(std::string_view range_name);

// The list as it is written there, "[[32, 128], [128, 64]]"; empty where the name has none.
std::string_view SizesText(std::string_view range_name);

// What an operation takes at least: each operand read once, each result written once.
struct OperationCost {
  double flops = 0;
  double read_elements = 0;
  double written_elements = 0;

  bool operator==(const OperationCost&) const = default;
};

// Of matrix products (mm, addmm, bmm, baddbmm, linear, mv, dot and their kin), by the operation's
// range name. Nothing for other operations, or where the sizes do not fit together.
std::optional<OperationCost> MatrixProductCost(std::string_view range_name);

// Of a convolution: how many products each result sums up (channels times the filter's size). The
// number of results is not among the recorded sizes.
std::optional<std::uint64_t> ConvolutionInnerSize(std::string_view range_name);

}  // namespace xsp
