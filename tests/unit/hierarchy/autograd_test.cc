#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/tree_text.h"

using xsp::test::Plain;
using xsp::test::TreeOf;

TEST_CASE("a backward operation goes to the layer of its forward operation by sequence number") {
  CHECK(TreeOf(R"(
      T1   0-50  push forward
      T1   1-20  push "block 0"
      T1   2-10  push "aten::linear, seq = 4, op_id = 1"
      T1   3-9   push "aten::addmm, seq = 4, op_id = 2"
      T1   4-5   api cudaLaunchKernel #1
      T1  60-99  push backward
      T5  61-80  push "autograd::engine::evaluate_function: AddmmBackward0, op_id = 9"
      T5  62-79  push "AddmmBackward0, seq = 4, op_id = 10"
      T5  63-78  push "aten::mm, op_id = 11"
      T5  64-65  api cudaLaunchKernel #2
      S7  10-14  kernel fwd #1
      S7  70-76  kernel bwd #2
    )") == Plain(R"(
      trace trace 10
        phase forward 4 [range]
          layer block 0 4 [range]
            op aten::linear 4 [range]
              op aten::addmm 4 [range]
                device fwd 4 [range]
        phase backward 6 [range]
          layer block 0 6 [sequence number]
            op autograd::engine::evaluate_function: AddmmBackward0 6 [sequence number]
              op AddmmBackward0 6 [sequence number]
                op aten::mm 6 [sequence number]
                  device bwd 6 [sequence number]
    )"));
}

TEST_CASE("without its forward operation a backward one is placed by time") {
  CHECK(TreeOf(R"(
      T1  60-99  push backward
      T5  62-79  push "AddmmBackward0, seq = 4"
      T5  64-65  api cudaLaunchKernel #2
      S7  70-76  kernel bwd #2
    )") == Plain(R"(
      trace trace 6
        phase backward 6 [range]
          op AddmmBackward0 6 [temporal]
            device bwd 6 [temporal]
    )"));
}

TEST_CASE("two forward threads make a sequence number ambiguous") {
  CHECK(TreeOf(R"(
      T1   0-9   push a
      T1   1-8   push "aten::mm, seq = 4"
      T2   1-12  push b
      T2   2-8   push "aten::mm, seq = 4"
      T1  60-99  push backward
      T5  62-79  push "MmBackward0, seq = 4"
      T5  64-65  api cudaLaunchKernel #2
      S7  70-76  kernel bwd #2
    )") == Plain(R"(
      trace trace 6
        phase backward 6 [range]
          op MmBackward0 6 [temporal]
            device bwd 6 [temporal]
        phase a 0 [range]
          op aten::mm 0 [range]
        phase b 0 [range]
          op aten::mm 0 [range]
    )"));
}

TEST_CASE("checkpointed recomputation stays in the backward pass, in its layer") {
  CHECK(TreeOf(R"(
      T1   0-50  push forward
      T1   1-20  push "block 0"
      T1   2-10  push "CheckpointFunction, seq = 7"
      T1  60-99  push backward
      T5  61-90  push "CheckpointFunctionBackward, seq = 7"
      T5  62-70  push "aten::mm, seq = 30"
      T5  63-64  api cudaLaunchKernel #1
      T5  72-80  push "MmBackward0, seq = 30"
      T5  73-74  api cudaLaunchKernel #2
      S7  70-72  kernel again #1
      S7  80-83  kernel bwd #2
    )") == Plain(R"(
      trace trace 5
        phase backward 5 [range]
          layer block 0 5 [sequence number]
            op CheckpointFunctionBackward 5 [sequence number]
              op aten::mm 2 [sequence number]
                device again 2 [sequence number]
              op MmBackward0 3 [sequence number]
                device bwd 3 [sequence number]
        phase forward 0 [range]
          layer block 0 0 [range]
            op CheckpointFunction 0 [range]
    )"));
}
