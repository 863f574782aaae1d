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

TEST_CASE("operations after the backward pass are not forward") {
  CHECK(TreeOf(R"(
    T1     0-100  push "step 1"
    T1     2-10   push "aten::mm, seq = 1"
    T1     4-6    api cudaLaunchKernel #1
    S7    10-20   kernel gemm #1
    T1    20-30   push "autograd::engine::evaluate_function: MmBackward0"
    T1    22-24   api cudaLaunchKernel #2
    S7    30-50   kernel gemm #2
    T1    60-90   push "aten::item"
    T1    62-64   api cudaMemcpyAsync #3
    S7    64-67   memcpy DtoH #3
  )") == Plain(R"(
    trace trace 33
      step step 1 33 [range]
        phase forward 10 [class]
          op aten::mm 10 [range]
            device gemm 10 [range]
        phase backward 20 [class]
          op autograd::engine::evaluate_function: MmBackward0 20 [range]
            device gemm 20 [range]
        op aten::item 3 [range]
          device [CUDA memcpy DtoH] 3 [range]
      step [outside steps] 0
  )"));
}

TEST_CASE("operations beside the user's forward range are not forward") {
  CHECK(TreeOf(R"(
    T1     0-100  push "step 1"
    T1     2-10   push forward
    T1     4-6    api cudaLaunchKernel #1
    S7    10-20   kernel gemm #1
    T1    12-18   push "aten::mse_loss, seq = 2"
    T1    13-14   api cudaLaunchKernel #2
    S7    20-25   kernel mse #2
    T1    20-30   push "autograd::engine::evaluate_function: MseLossBackward0, seq = 2"
    T1    22-24   api cudaLaunchKernel #3
    S7    30-50   kernel gemm #3
  )")
            .find("forward 10 ") != std::string::npos);
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

TEST_CASE("classes of work and what nothing places count their operations") {
  const xsp::Trace trace = xsp::test::MakeTrace(R"(
    T1     0-50   push "step 1"
    T1     2-4    api cudaLaunchKernel #1
    S7    10-20   kernel sgemm #1
    T1     6-8    api cudaLaunchKernel #2
    S7    20-30   kernel sgemm #2
    T1    50-100  push "step 2"
    T1    52-54   api cudaLaunchKernel #3
    S7    60-70   kernel sgemm #3
    T1    56-58   api cudaLaunchKernel #4
    S7    70-80   kernel unknown #4
  )");
  const xsp::Hierarchy hierarchy(trace);
  const xsp::PathTotals tree(hierarchy,
                             {.steps = std::vector<std::uint32_t>{0, 1}, .with_calls = false});
  std::string counts;
  for (std::uint32_t n = 0; n < tree.nodes().size(); ++n) {
    counts += std::string(tree.Name(xsp::PathId(n))) + " " +
              std::to_string(tree.nodes()[n].total.count) + "\n";
  }
  CHECK(tree.divisor() == 2);
  CHECK(counts == "trace 2\nstep 2\ngemm 3\nsgemm 3\n[unattributed] 1\nunknown 1\n");
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
