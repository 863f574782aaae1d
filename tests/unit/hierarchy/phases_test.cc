#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/tree_text.h"

using xsp::test::Plain;
using xsp::test::TreeOf;

TEST_CASE("operations without a phase are forward, backward or communication by their names") {
  CHECK(TreeOf(R"(
      T1   0-99  push "step 1"
      T1   1-9   push "aten::mm, seq = 1"
      T1   2-3   api cudaLaunchKernel #1
      T1  20-29  push "MmBackward0, seq = 1"
      T1  21-22  api cudaLaunchKernel #2
      T1  30-39  push "nccl:all_reduce"
      T1  31-32  api cudaLaunchKernel #3
      S7  10-11  kernel a #1
      S7  30-32  kernel b #2
      S7  40-43  kernel c #3
    )") == Plain(R"(
      trace trace 6
        step step 1 6 [range]
          phase forward 1 [class]
            op aten::mm 1 [range]
              device a 1 [range]
          phase backward 2 [class]
            op MmBackward0 2 [sequence number]
              device b 2 [sequence number]
          phase communication 3 [class]
            op nccl:all_reduce 3 [range]
              device c 3 [range]
        step [outside steps] 0
    )"));
}

TEST_CASE("work in a step that nobody named is placed around the backward pass") {
  CHECK(TreeOf(R"(
      T1   0-99  push "step 1"
      T1   1-2   api cudaMemcpyAsync #1
      T1   3-4   api cudaLaunchKernel #2
      T1  20-40  push backward
      T1  21-22  api cudaLaunchKernel #3
      T1  50-51  api cudaLaunchKernel #4
      S7   5-6   memcpy HtoD bytes=8 #1
      S7  10-12  kernel f #2
      S7  30-33  kernel b #3
      S7  60-64  kernel o #4
    )") == Plain(R"(
      trace trace 10
        step step 1 10 [range]
          phase data loading 1 [class]
            device [CUDA memcpy HtoD] 1 [class]
          phase [unattributed] 2
            device f 2
          phase backward 3 [range]
            device b 3 [range]
          phase optimizer 4 [class]
            device o 4 [temporal]
        step [outside steps] 0
    )"));
}

TEST_CASE("an optimizer inside of the user's backward range is told by its kernels") {
  CHECK(TreeOf(R"(
      T1   0-99  push "Backward"
      T1  10-11  api cudaLaunchKernel #1
      T1  50-51  api cudaLaunchKernel #2
      S7  20-23  kernel gemm_nn #1
      S7  60-64  kernel "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>" #2
    )") == Plain(R"(
      trace trace 7
        phase Backward 7 [range]
          device gemm_nn 3 [range]
          phase optimizer 4 [class]
            device void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor> 4 [range]
    )"));
}

TEST_CASE("gradient reductions inside of a backward pass are its communication") {
  CHECK(TreeOf(R"(
      T1  0-20 push "backward pass"
      T5  2-8  push "all_reduce grad [w]"
      T5  3-4  api cudaLaunchKernel #1
      S7  5-9  kernel k #1
    )") == Plain(R"(
      trace trace 4
        phase backward pass 4 [range]
          phase communication 4 [class]
            layer all_reduce grad [w] 4 [temporal]
              device k 4 [temporal]
    )"));
}

TEST_CASE("phases of inference have the names that users give them") {
  CHECK(TreeOf(R"(
      T1   0-10  push preprocess
      T1  10-20  push predict
      T1  11-19  push "ExecutionContext::enqueue" domain=TensorRT
      T1  12-18  push "/conv1/Conv + /relu/Relu" domain=TensorRT
      T1  13-14  api cuLaunchKernelEx #1
      T1  20-30  push post_processing
      S7  15-17  kernel k #1
    )") == Plain(R"(
      trace trace 2
        phase predict 2 [range]
          layer ExecutionContext::enqueue 2 [range]
            layer /conv1/Conv + /relu/Relu 2 [range]
              device k 2 [range]
        phase preprocess 0 [range]
        phase post_processing 0 [range]
    )"));
}
