#include "hierarchy/analyses/shapes.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

using namespace xsp;

namespace {

// The trace of one operation.
Trace Operation(const std::string& text) { return test::MakeTrace("T1 0-9 push '" + text + "'"); }

}  // namespace

TEST_CASE("sizes are what the operation recorded") {
  const Trace addmm =
      Operation("aten::addmm, seq = 595, op_id = 1650, sizes = [[64], [32, 128], [128, 64]]");
  CHECK(RecordedSizes(addmm, EventId(0)) == OperandSizes{{64}, {32, 128}, {128, 64}});
  CHECK(SizesText(addmm, EventId(0)) == "[[64], [32, 128], [128, 64]]");
  const Trace relu = Operation("aten::relu, sizes = [[2, 3], [], []], input_op_ids = [(1,0)]");
  CHECK(RecordedSizes(relu, EventId(0)) == OperandSizes{{2, 3}, {}, {}});
  CHECK(SizesText(relu, EventId(0)) == "[[2, 3], [], []]");
  const Trace none = Operation("aten::relu, seq = 4");
  CHECK(RecordedSizes(none, EventId(0)).empty());
  CHECK(SizesText(none, EventId(0)).empty());
  CHECK(MatrixProductCost(Operation("aten::mm, sizes = [[2, 3], [3, 5]]"), EventId(0)) ==
        OperationCost{2 * 2 * 3 * 5, 6 + 15, 10});
}

TEST_CASE("a list of tensors is one operand") {
  TraceTables tables = Operation("aten::cat, sizes = [[2, 3], [4, 3], []]").Release();
  tables.operands.operand = {0, 0, 0, 0, 1};
  tables.operands.element = {0, 0, 1, 1, kMissing<std::uint32_t>};
  const Trace trace(std::move(tables));
  CHECK(SizesText(trace, EventId(0)) == "[[[2, 3], [4, 3]], []]");
  CHECK(RecordedSizes(trace, EventId(0)) == OperandSizes{{}, {}});
}

TEST_CASE("sizes that do not fit together are no product") {
  CHECK_FALSE(MatrixProductCost("aten::mm", {{2, 3}, {4, 5}}));
  CHECK_FALSE(MatrixProductCost("aten::mm", {{2, 3}}));
  CHECK_FALSE(MatrixProductCost("aten::bmm", {{2, 3}, {3, 5}}));
  CHECK_FALSE(MatrixProductCost("mm", {{2, 3}, {3, 5}}));
}

TEST_CASE("matrix products take two flop per product") {
  CHECK(MatrixProductCost("aten::mm", {{2, 3}, {3, 5}}) ==
        OperationCost{2 * 2 * 3 * 5, 6 + 15, 10});
  CHECK(MatrixProductCost("aten::addmm", {{5}, {2, 3}, {3, 5}, {}, {}}) ==
        OperationCost{60, 6 + 15 + 10, 10});
  CHECK(MatrixProductCost("aten::bmm", {{7, 2, 3}, {7, 3, 5}}) ==
        OperationCost{7 * 60, 7 * 21, 7 * 10});
  CHECK(MatrixProductCost("aten::linear", {{4, 2, 3}, {5, 3}, {5}}) ==
        OperationCost{2 * 4 * 2 * 3 * 5, 24 + 15, 40});
  CHECK(MatrixProductCost("aten::mv", {{2, 3}, {3}}) == OperationCost{12, 9, 2});
}

TEST_CASE("a convolution tells how many products make a result") {
  CHECK(ConvolutionInnerSize("aten::cudnn_convolution", {{8, 16, 32, 32}, {64, 16, 3, 3}}) ==
        16u * 3 * 3);
  CHECK_FALSE(ConvolutionInnerSize("aten::convolution_backward", {{1, 1, 1}, {1, 1, 1}}));
  CHECK_FALSE(ConvolutionInnerSize("aten::conv2d", {{8, 16, 32, 32}}));
}
