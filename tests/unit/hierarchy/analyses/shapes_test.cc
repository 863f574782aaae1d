#include "hierarchy/analyses/shapes.h"

#include <catch2/catch.hpp>

using namespace xsp;

TEST_CASE("sizes are read from the names of operations") {
  const char* name = "aten::addmm, seq = 595, op_id = 1650, sizes = [[64], [32, 128], [128, 64]]";
  CHECK(RecordedSizes(name) == OperandSizes{{64}, {32, 128}, {128, 64}});
  CHECK(SizesText(name) == "[[64], [32, 128], [128, 64]]");
  CHECK(RecordedSizes("aten::relu, sizes = [[2, 3], [], []], input_op_ids = [(1,0)]") ==
        OperandSizes{{2, 3}, {}, {}});
  CHECK(RecordedSizes("aten::relu, seq = 4").empty());
}

TEST_CASE("broken sizes are no sizes") {
  CHECK(RecordedSizes("aten::mm, sizes = ").empty());
  CHECK(RecordedSizes("aten::mm, sizes = [[2, 3").empty());
  CHECK(RecordedSizes("aten::mm, sizes = oops]]").empty());
  CHECK_FALSE(MatrixProductCost("aten::mm, sizes = [[2, 3], [4, 5]]"));
  CHECK_FALSE(MatrixProductCost("aten::mm, sizes = [[2, 3]]"));
  CHECK_FALSE(MatrixProductCost("aten::bmm, sizes = [[2, 3], [3, 5]]"));
  CHECK_FALSE(MatrixProductCost("mm, sizes = [[2, 3], [3, 5]]"));
}

TEST_CASE("matrix products take two flop per product") {
  CHECK(MatrixProductCost("aten::mm, sizes = [[2, 3], [3, 5]]") ==
        OperationCost{2 * 2 * 3 * 5, 6 + 15, 10});
  CHECK(MatrixProductCost("aten::addmm, sizes = [[5], [2, 3], [3, 5], [], []]") ==
        OperationCost{60, 6 + 15 + 10, 10});
  CHECK(MatrixProductCost("aten::bmm, sizes = [[7, 2, 3], [7, 3, 5]]") ==
        OperationCost{7 * 60, 7 * 21, 7 * 10});
  CHECK(MatrixProductCost("aten::linear, sizes = [[4, 2, 3], [5, 3], [5]]") ==
        OperationCost{2 * 4 * 2 * 3 * 5, 24 + 15, 40});
  CHECK(MatrixProductCost("aten::mv, sizes = [[2, 3], [3]]") == OperationCost{12, 9, 2});
}

TEST_CASE("a convolution tells how many products make a result") {
  CHECK(ConvolutionInnerSize(
            "aten::cudnn_convolution, sizes = [[8, 16, 32, 32], [64, 16, 3, 3]]") == 16u * 3 * 3);
  CHECK_FALSE(ConvolutionInnerSize("aten::convolution_backward, sizes = [[1, 1, 1], [1, 1, 1]]"));
  CHECK_FALSE(ConvolutionInnerSize("aten::conv2d, sizes = [[8, 16, 32, 32]]"));
}
