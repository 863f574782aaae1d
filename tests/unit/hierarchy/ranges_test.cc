#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/tree_text.h"

using xsp::test::Plain;
using xsp::test::TreeOf;

TEST_CASE("device work belongs to the innermost range that holds its launch") {
  CHECK(TreeOf(R"(
      T1   0-100 push outer
      T1  10-50  push inner
      T1  20-22  api cudaLaunchKernel #1
      T1  60-62  api cudaLaunchKernel #2
      S7 200-230 kernel a #1
      S7 230-235 kernel b #2
    )") == Plain(R"(
      trace trace 35
        phase outer 35 [range]
          layer inner 30 [range]
            device a 30 [range]
          device b 5 [range]
    )"));
}

TEST_CASE("frames of the Python stack are no level of the tree") {
  CHECK(TreeOf(R"(
      T1   0-100 push outer
      T1   5-90  push "train.py(12): main" domain=python_function
      T1  10-50  push inner
      T1  20-22  api cudaLaunchKernel #1
      T1  60-62  api cudaLaunchKernel #2
      S7 200-230 kernel a #1
      S7 230-235 kernel b #2
    )") == Plain(R"(
      trace trace 35
        phase outer 35 [range]
          layer inner 30 [range]
            device a 30 [range]
          device b 5 [range]
    )"));
}

TEST_CASE("the same correlation id in two processes means two launches") {
  CHECK(TreeOf(R"(
      P1.T1  0-10 push left
      P2.T1  0-10 push right
      P1.T1  1-2  api cudaLaunchKernel #1
      P2.T1  1-2  api cudaLaunchKernel #1
      P1.S7  5-9  kernel k #1
      P2.S7  5-8  kernel k #1
    )") == Plain(R"(
      trace trace 7
        rank process [1] GPU 0 4
          phase left 4 [range]
            device k 4 [range]
        rank process [2] GPU 0 3
          phase right 3 [range]
            device k 3 [range]
    )"));
}

TEST_CASE("identical names at different places stay apart") {
  CHECK(TreeOf(R"(
      T1  0-20 push encoder
      T1  1-9  push block
      T1  2-3  api cudaLaunchKernel #1
      T1 30-50 push decoder
      T1 31-39 push block
      T1 32-33 api cudaLaunchKernel #2
      S7 10-15 kernel k #1
      S7 40-47 kernel k #2
    )") == Plain(R"(
      trace trace 12
        phase encoder 5 [range]
          layer block 5 [range]
            device k 5 [range]
        phase decoder 7 [range]
          layer block 7 [range]
            device k 7 [range]
    )"));
}

TEST_CASE("ranges of several domains nest by time") {
  CHECK(TreeOf(R"(
      T1  0-20 push block
      T1  1-9  push ncclAllReduce domain=NCCL
      T1  2-3  api cudaLaunchKernel #1
      S7 10-15 kernel reduce #1
    )") == Plain(R"(
      trace trace 5
        phase block 5 [range]
          library ncclAllReduce 5 [range]
            device reduce 5 [range]
    )"));
}

TEST_CASE("of overlapping start/end ranges the latest to begin that holds a launch has it") {
  CHECK(TreeOf(R"(
      T1  0-20 startend a
      T1 10-30 startend b
      T1 12-13 api cudaLaunchKernel #1
      T1 25-26 api cudaLaunchKernel #2
      S7 40-41 kernel k #1
      S7 41-43 kernel k #2
    )") == Plain(R"(
      trace trace 3
        phase b 3 [range]
          device k 3 [range]
        phase a 0 [range]
    )"));
}

TEST_CASE("launches of a thread without ranges go by what the main thread has open") {
  CHECK(TreeOf(R"(
      T1  0-20 push backward
      T5  2-3  api cudaLaunchKernel #1
      T5 30-31 api cudaLaunchKernel #2
      S7  5-9  kernel k #1
      S7 40-42 kernel k #2
    )") == Plain(R"(
      trace trace 6
        phase backward 4 [range]
          device k 4 [temporal]
        phase [unattributed] 2
          device k 2
    )"));
}

TEST_CASE("a range of another thread is placed by time below the main thread's") {
  CHECK(TreeOf(R"(
      T1  0-20 push "backward pass"
      T5  2-8  push "my hook"
      T5  3-4  api cudaLaunchKernel #1
      S7  5-9  kernel k #1
    )") == Plain(R"(
      trace trace 4
        phase backward pass 4 [range]
          layer my hook 4 [temporal]
            device k 4 [temporal]
    )"));
}

TEST_CASE("work without a known launch is unattributed, never guessed") {
  CHECK(TreeOf(R"(
      T1  0-20 push forward
      S7  5-9  kernel k #77
      M   6-8  migration HtoD bytes=4096
    )") == Plain(R"(
      trace trace 6
        phase [unattributed] 6
          device k 4
          device [CUDA migration HtoD] 2
        phase forward 0 [range]
    )"));
}
