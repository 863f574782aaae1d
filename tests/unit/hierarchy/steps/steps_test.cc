#include "hierarchy/steps/steps.h"

#include <catch2/catch.hpp>
#include <string>

#include "hierarchy/steps/counted_steps.h"
#include "tests/support/timeline.h"
#include "tests/unit/hierarchy/steps/steps_text.h"

using namespace xsp;
using xsp::test::MakeTrace;
using xsp::test::StepsOf;

TEST_CASE("steps are ranges of one kind of name") {
  CHECK(StepsOf(R"(
      T1   0-300 push run
      T1  10-100 push "Step 7"
      T1 100-190 push "Step 8"
      T1 190-280 push "Step 9"
    )") == "range; Step 7 10-100; Step 8 100-190; Step 9 190-280");
}

TEST_CASE("a step ends when its device work has ended, not when the host moves on") {
  CHECK(StepsOf(R"(
      T1   0-10  push "step 1"
      T1  10-20  push "step 2"
      T1   1-2   api cudaLaunchKernel #1
      T1  11-12  api cudaLaunchKernel #2
      S7   5-55  kernel k #1
      S7  55-99  kernel k #2
    )") == "range; step 1 0-55; step 2 55-99");
}

TEST_CASE("a long pause between steps is outside of them, a short one is not") {
  CHECK(StepsOf(R"(
      T1   0-100 push "iteration 1"
      T1 110-200 push "iteration 2"
      T1 900-999 push "iteration 3"
    )") == "range; iteration 1 0-110; iteration 2 110-200; iteration 3 900-999");
}

TEST_CASE("cold steps are told by their time, not by their name") {
  CHECK(StepsOf(R"(
      T1    0-500 push "Warm-up Step 1"
      T1  500-600 push "Warm-up Step 2"
      T1  600-700 push "Warm-up Step 3"
      T1  700-800 push "Warm-up Step 4"
    )") ==
        "range; Warm-up Step 1 0-500 cold; Warm-up Step 2 500-600; Warm-up Step 3 600-700; "
        "Warm-up Step 4 700-800");
}

TEST_CASE("steps are not optimizer steps, nor the loop around them, nor epochs") {
  CHECK(StepsOf(R"(
      T1   0-300 push "training step loop"
      T1   0-300 push "epoch 1"
      T1  10-100 push ProfilerStep#1
      T1  80-90  push Optimizer.step#Adam.step
      T1 100-190 push ProfilerStep#2
      T1 180-190 push Optimizer.step#Adam.step
    )") == "range; ProfilerStep#1 10-100; ProfilerStep#2 100-190");
}

TEST_CASE("outermost ranges that come again in the same order make steps") {
  CHECK(StepsOf(R"(
      T1  0-1   push setup
      T1 10-20  push reader
      T1 20-40  push backbone
      T1 40-50  push reader
      T1 50-70  push backbone
      T1 70-80  push reader
      T1 80-99  push backbone
    )") == "range; step 1 10-40; step 2 40-70; step 3 70-99");
}

TEST_CASE("ranges whose numbers count up are layers, not steps") {
  CHECK(StepsOf(R"(
      T1 10-15 push "blocks.0"
      T1 15-20 push norm
      T1 20-25 push "blocks.1"
      T1 25-30 push norm
      T1 30-35 push "blocks.2"
      T1 35-40 push norm
      T1 40-45 push "blocks.3"
      T1 45-50 push norm
    )") == "none");
}

TEST_CASE("uploads that repeat are no steps") {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const std::string at = std::to_string(i * 10), id = std::to_string(i + 1);
    text += "T1 " + at + "-" + std::to_string(i * 10 + 5) + " api cudaMemcpyAsync #" + id + "\n";
    text += "S7 " + at + "-" + std::to_string(i * 10 + 4) + " memcpy HtoD bytes=8 #" + id + "\n";
  }
  CHECK(StepsOf(text) == "none");
}

TEST_CASE("processes that talk to each other take their steps together") {
  const std::string steps = R"(
      P1.T1   0-10  push "step 1"
      P1.T1  10-20  push "step 2"
      P2.T1   3-12  push "step 1"
      P2.T1  13-21  push "step 2"
    )";
  const std::string together = "range; step 1 3-13; step 2 13-21";
  CHECK(StepsOf(steps + "P1.T1 1-2 mpi MPI_Send bytes=8\nP2.T1 4-5 mpi MPI_Recv bytes=8") ==
        together);
  CHECK(StepsOf(steps + "P1.T1 1-2 push nccl:all_reduce\nP2.T1 4-5 push nccl:all_reduce") ==
        together);
}

TEST_CASE("steps of processes that nothing joins are those of the one with most device work") {
  const Steps steps = FindSteps(MakeTrace(R"(
      P1.T1   0-10  push "step 1"
      P1.T1  10-20  push "step 2"
      P2.T1   3-12  push "step 1"
      P2.T1  13-21  push "step 2"
      P1.T1   1-2   api cudaLaunchKernel #1
      P1.S7   2-4   kernel k #1
      P2.T1   4-5   api cudaLaunchKernel #2
      P2.S7   5-10  kernel k #2
    )"));
  CHECK(steps.of_process[0].empty());
  REQUIRE(steps.size() == 2);
  CHECK(steps.steps[0].time == TimeRange{3, 13});
  REQUIRE(steps.beside.size() == 1);
  CHECK(steps.beside[0].process == ProcessId(0));
  CHECK(steps.beside[0].has_steps);
  CHECK(steps.beside[0].gpu_ns == 1);  // Of its two nanoseconds one lies within a step.
}

// Two steps that wait for their own stream, and a thread with a kernel that runs far longer.
constexpr std::string_view kStepsAndThread = R"(
      T1   0-20  push "step 1"
      T1  20-40  push "step 2"
      T1   1-2   api cudaLaunchKernel #1
      S13  2-9   kernel k #1 flag=nonblocking
      T1   9-10  api cudaStreamSynchronize #2
      T1   9-10  sync stream=13 #2
      T1  21-22  api cudaLaunchKernel #3
      S13 22-29  kernel k #3
      T1  29-30  api cudaStreamSynchronize #4
      T1  29-30  sync stream=13 #4
      T2   3-4   api cudaLaunchKernel #5
      T2  24-25  api cudaLaunchKernel #6
    )";

TEST_CASE("a border waits for no thread whose work the steps never wait for") {
  const std::string text = std::string(kStepsAndThread) + R"(
      S14  5-37  kernel other #5 flag=nonblocking
      S14 40-90  kernel other #6)";
  CHECK(StepsOf(text) == "range; step 1 0-20; step 2 20-40");
  const Steps steps = FindSteps(MakeTrace(text));
  REQUIRE(steps.beside.size() == 1);
  CHECK(steps.beside[0].name == "stream 14 (thread 2)");
  CHECK(steps.beside[0].gpu_ns == 32);
  CHECK(steps.gpu_ns == 46);
}

TEST_CASE("work of another thread belongs to a step that waits for it or shares its stream") {
  const std::string waited = R"(
      S14  5-37  kernel other #5 flag=nonblocking
      S14 40-90  kernel other #6)";
  const std::string text(kStepsAndThread);
  const std::string all = "range; step 1 0-37; step 2 37-90";
  // It launches into the step's stream.
  CHECK(StepsOf(text + "S13 9-37 kernel other #5\nS13 40-90 kernel other #6") == all);
  // The step waits for its stream, on the host,
  CHECK(StepsOf(text + waited + R"(
      T1  11-12  api cudaStreamSynchronize #7
      T1  11-12  sync stream=14 #7
      T1  31-32  api cudaStreamSynchronize #8
      T1  31-32  sync stream=14 #8)") == all);
  // or its stream for an event of the other one, on the device.
  CHECK(StepsOf(text + waited + R"(
      T2   5-6   api cudaEventRecord #9
      T2         record stream=14 event=3 #9
      T1  11-12  api cudaStreamWaitEvent #10
      T1  11-12  wait stream=13 event=3 #10)") == all);
}

TEST_CASE("who waits for the whole device waits for nobody in particular") {
  const std::string text = std::string(kStepsAndThread) + R"(
      S14  5-12  kernel other #5 flag=nonblocking
      S14 40-90  kernel other #6
      T1  11-13  api cudaDeviceSynchronize #7
      T1  11-13  sync context #7
      T1  31-32  api cudaDeviceSynchronize #8
      T1  31-32  sync context #8)";
  CHECK(StepsOf(text) == "range; step 1 0-20; step 2 20-40");
  const Steps steps = FindSteps(MakeTrace(text));
  REQUIRE(steps.beside.size() == 1);
  CHECK(steps.beside[0].name == "stream 14 (thread 2)");
}

TEST_CASE("what lies between steps is told by the range that takes most of it") {
  const Steps steps = FindSteps(MakeTrace(R"(
      T1   0-100 push "iteration 1"
      T1 100-200 push "iteration 2"
      T1 210-880 push validation
      T1 220-300 push forward
      T1 900-999 push "iteration 3"
    )"));
  CHECK(steps.between == "validation");
  CHECK(CountSteps(steps, std::vector<std::uint32_t>{0, 1, 2}).between == 350);
}

TEST_CASE("what lies between and beside steps is said where it is a hundredth or more") {
  CountedSteps set;
  set.counted = {0, 1, 2};
  set.typical = 30'000'000;
  set.gpu_ns = 1'000;
  CHECK(NotesOn(set).empty());
  set.between = 12'300'000;
  set.between_what = "validation";
  WorkBeside beside;
  beside.name = "process 7";
  beside.gpu_ns = 400;
  beside.has_steps = true;
  set.beside = {beside};
  const std::vector<std::string> notes = NotesOn(set);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] ==
        "Between steps: 12.30 ms a step, 29 % of the time (validation); with it a step takes 42.30 "
        "ms.");
  CHECK(notes[1] ==
        "Beside the steps: process 7, 40 % of the GPU's work; no step waits for it in particular. "
        "--process "
        "chooses it.");
}
