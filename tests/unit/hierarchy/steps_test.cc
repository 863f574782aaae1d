#include "hierarchy/steps/steps.h"

#include <catch2/catch.hpp>
#include <string>

#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/step_period.h"
#include "tests/support/timeline.h"
#include "tests/unit/hierarchy/tree_text.h"

using namespace xsp;
using xsp::test::MakeTrace;
using xsp::test::Plain;
using xsp::test::TreeOf;

namespace {

std::string StepsOf(std::string_view timeline) {
  const Steps steps = FindSteps(MakeTrace(timeline));
  std::string text(NameOf(steps.source));
  for (const Step& step : steps.steps) {
    text += "; " + step.name + " " + std::to_string(step.time.begin) + "-" +
            std::to_string(step.time.end) + (step.role == StepRole::kCold ? " cold" : "");
  }
  return text;
}

// A loop of `rounds` rounds; each launches `kernels` with shapes 1, 2, ... and, if asked for,
// waits.
std::string Loop(int rounds, int kernels, bool waits, int first_id = 1, int start = 0) {
  std::string text;
  int id = first_id;
  for (int r = 0; r < rounds; ++r) {
    for (int k = 0; k < kernels; ++k, ++id) {
      const int at = start + (r * (kernels + 1) + k) * 10;
      text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 2) +
              " api cudaLaunchKernel #" + std::to_string(id) + "\n";
      text += "S7 " + std::to_string(at + 3) + "-" + std::to_string(at + 9) + " kernel k" +
              std::to_string(k) + " #" + std::to_string(id) + " grid=" + std::to_string(k + 1) +
              "\n";
    }
    const int at = start + (r * (kernels + 1) + kernels) * 10;
    if (waits) {
      text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 5) +
              " api cudaDeviceSynchronize #" + std::to_string(100000 + r) + "\nT1 " +
              std::to_string(at) + "-" + std::to_string(at + 5) + " sync context #" +
              std::to_string(100000 + r) + "\n";
    }
  }
  return text;
}

}  // namespace

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

TEST_CASE("without ranges, a repeated sequence of kernels that waits each time makes steps") {
  CHECK(StepsOf(Loop(4, 3, true)) ==
        "repetition; step 1 0-35; step 2 35-75; step 3 75-115; step 4 115-149");
}

// A solver that sweeps x then y, and y then x in the next time step, with a kernel (p, q) of its
// own between them.
std::string AlternatingSweeps(int steps, bool waits) {
  std::string text;
  int id = 0;
  for (int step = 0; step < steps; ++step) {
    const std::string kernels = step % 2 == 0 ? "abcdefghxpyijkl" : "abcdefghyqxijkl";
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::string at = std::to_string(step * 1000 + static_cast<int>(k) * 10);
      const std::string number = " #" + std::to_string(++id) + "\n";
      text += "T1 " + at + "-" + at + " api cudaLaunchKernel" + number;
      text += "S7 " + at + "-" + at + " kernel sweep_" + kernels[k] + number;
    }
    if (!waits) continue;
    const std::string at = std::to_string(step * 1000 + 500), number = std::to_string(++id);
    text += "T1 " + at + "-" + at + " sync context #" + number + "\n";
  }
  return text;
}

TEST_CASE("a time step is a step where two of them alternate the order of their sweeps") {
  const Steps steps = FindSteps(MakeTrace(AlternatingSweeps(8, true)));
  CHECK(steps.source == StepSource::kRepetition);
  CHECK(steps.size() == 8);
  CHECK(steps.period == 2);
  CHECK(FindSteps(MakeTrace(AlternatingSweeps(8, false))).size() == 0);
}

TEST_CASE("a repeated sequence that never meets the host may be layers: no steps") {
  CHECK(StepsOf(Loop(8, 3, false)) == "none");
  CHECK(StepsOf(Loop(50, 1, true)) == "none");
}

TEST_CASE("rounds made of repeated parts are steps even without a wait") {
  std::string text;
  for (int step = 0; step < 4; ++step) {
    text += Loop(1, 1, false, 1 + step * 20, step * 1000);  // An embedding, say.
    std::string layers = Loop(4, 2, false, 2 + step * 20, step * 1000 + 100);
    for (std::size_t at; (at = layers.find("kernel k")) != layers.npos;) {
      layers.replace(at, 8, "kernel m");
    }
    text += layers;
  }
  const Steps steps = FindSteps(MakeTrace(text));
  CHECK(steps.source == StepSource::kRepetition);
  CHECK(steps.size() == 4);
}

TEST_CASE("rounds in which the number of a module counts up are its layers") {
  std::string text = Loop(5, 3, true);
  for (int r = 0; r < 5; ++r) {
    text += "T1 " + std::to_string(r * 40) + "-" + std::to_string(r * 40 + 39) +
            " push \"FSDP::pre_forward (blocks." + std::to_string(3 + r) + ".wrapped)\"\n";
  }
  const Steps layers = FindSteps(MakeTrace(text));
  CHECK(layers.source == StepSource::kNone);
  CHECK(layers.only_layers == "5 blocks (blocks.#)");
  // The same module in every round is what a step does.
  std::string same = Loop(5, 3, true);
  for (int r = 0; r < 5; ++r) {
    same +=
        "T1 " + std::to_string(r * 40) + "-" + std::to_string(r * 40 + 20) + " push \"blocks.3\"\n";
  }
  CHECK(FindSteps(MakeTrace(same)).size() == 5);
}

TEST_CASE("layers are told by their words in whatever way they are numbered, others count steps") {
  const auto rounds = [](const std::string& before, const std::string& behind) {
    std::string text = Loop(6, 3, true);
    for (int r = 0; r < 6; ++r) {
      text += "T1 " + std::to_string(r * 40) + "-" + std::to_string(r * 40 + 20) + " push \"" +
              before + std::to_string(7 + r) + behind + "\"\n";
    }
    return FindSteps(MakeTrace(text));
  };
  CHECK(rounds("layer ", "").only_layers == "6 blocks (layer #)");
  CHECK(rounds("Block_", " forward").only_layers == "6 blocks (Block_#)");
  CHECK(rounds("TransformerBlock[", "]").only_layers == "6 blocks (TransformerBlock[#)");
  CHECK(rounds("decoder.h.", ".mlp").only_layers == "6 blocks (decoder.h.#)");
  // What counts up besides layers are the rounds themselves.
  for (const char* other : {"chunk ", "sample_", "v1."}) {
    CAPTURE(other);
    CHECK(rounds(other, "").size() == 6);
  }
}

TEST_CASE("graphs of layers, each another one, are no steps, kernels of one graph are") {
  const auto graphs = [](bool is_same, int rounds) {
    std::string text;
    for (int r = 0; r < rounds; ++r) {
      const int at = r * 100;
      const std::string id = std::to_string(r + 1);
      text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 8) + " api cudaGraphLaunch #" +
              id + "\n";
      for (int k = 0; k < 3; ++k) {
        text += "S7 " + std::to_string(at + 10 + k * 20) + "-" + std::to_string(at + 28 + k * 20) +
                " kernel k" + std::to_string(k) + " #" + id + " grid=" + std::to_string(k + 1) +
                " graph=" + std::to_string(is_same ? 5 : 5 + r) + "\n";
      }
    }
    return FindSteps(MakeTrace(text)).size();
  };
  CHECK(graphs(true, 7) == 7);
  CHECK(graphs(false, 7) == 0);
}

TEST_CASE("one graph that is launched again and again is a step, whatever comes before it") {
  std::string text;
  for (int r = 0; r < 4; ++r) {
    const std::string at = std::to_string(r * 100), id = std::to_string(2 * r + 1);
    text += "T1 " + at + "-" + std::to_string(r * 100 + 2) + " api cudaLaunchKernel #" + id + "\n";
    text += "S7 " + std::to_string(r * 100 + 3) + "-" + std::to_string(r * 100 + 6) +
            " kernel copy #" + id + "\n";
    text += "T1 " + std::to_string(r * 100 + 4) + "-" + std::to_string(r * 100 + 8) +
            " api cudaGraphLaunch #" + std::to_string(2 * r + 2) + "\n";
    text += "S7 " + std::to_string(r * 100 + 9) + "-" + std::to_string(r * 100 + 90) + " graph #" +
            std::to_string(2 * r + 2) + "\n";
  }
  CHECK(FindSteps(MakeTrace(text)).size() == 4);
}

TEST_CASE("a single step of equal passes has as many steps, unless it trains") {
  const std::string loop = Loop(5, 3, true);
  CHECK(FindSteps(MakeTrace(loop + "T1 0-1000 push ProfilerStep#7\n")).size() == 5);
  CHECK(FindSteps(MakeTrace(Loop(9, 4, true) + "T1 0-1000 push \"iteration 3\"\n")).size() == 9);
  // Two passes may as well be two halves of one.
  CHECK(FindSteps(MakeTrace(Loop(2, 3, true) + "T1 0-1000 push ProfilerStep#7\n")).size() == 1);
  std::string trains = loop + "T1 0-1000 push ProfilerStep#7\n";
  trains += "T1 300-302 api cudaLaunchKernel #500\nS7 303-309 kernel adam #500\n";
  CHECK(FindSteps(MakeTrace(trains)).size() == 1);
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

TEST_CASE("a step holds what is launched in it, a range around steps does not") {
  CHECK(TreeOf(R"(
      T1   0-60  push run
      T1   1-2   api cudaLaunchKernel #9
      T1  10-30  push "step 1"
      T1  12-20  push forward
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  32-40  push forward
      T1  33-34  api cudaLaunchKernel #2
      T1  45-46  api cudaLaunchKernel #3
      S7   3-5   kernel init #9
      S7  15-18  kernel f #1
      S7  35-39  kernel f #2
      S7  47-48  kernel loose #3
    )") == Plain(R"(
      trace trace 10
        step [outside steps] 2
          phase run 2 [range]
            device init 2 [range]
        step step 1 3 [range]
          phase forward 3 [range]
            device f 3 [range]
        step step 2 5 [range]
          phase forward 4 [range]
            device f 4 [range]
          phase [unattributed] 1
            device loose 1
    )"));
}

TEST_CASE("work that was launched before the recording began is in no step") {
  CHECK(TreeOf(R"(
      T1  10-30  push "step 1"
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  33-34  api cudaLaunchKernel #2
      S7  12-14  kernel left_over #77
      S7  15-18  kernel f #1
      S7  19-20  kernel nameless #78
      S7  35-39  kernel f #2
    )") == Plain(R"(
      trace trace 10
        step [outside steps] 2
          phase [unattributed] 2
            device left_over 2
        step step 1 4 [range]
          phase [unattributed] 4
            device f 3
            device nameless 1
        step step 2 4 [range]
          phase [unattributed] 4
            device f 4
    )"));
}

TEST_CASE("the mean over steps sums the same paths up and keeps the spread") {
  const Trace trace = MakeTrace(R"(
      T1  10-30  push "step 1"
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  33-34  api cudaLaunchKernel #2
      S7  15-18  kernel f #1
      S7  35-42  kernel f #2
    )");
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy,
                        {.steps = std::vector<std::uint32_t>{0, 1}, .with_calls = false});
  CHECK(tree.divisor() == 2);
  CHECK(tree.nodes()[1].total.device_sum == 10);
  CHECK(tree.PerStep(PathId(1u), &PathSample::device_sum) == std::vector<DurationNs>{3, 7});
  CHECK(tree.nodes()[1].Wall() == 40);
}

TEST_CASE("a period is the smallest distance at which steps hold the same") {
  CHECK(PeriodOf({7, 7, 7, 7}) == 1);
  CHECK(PeriodOf({7, 8, 7, 8, 7, 8}) == 2);
  CHECK(PeriodOf({7, 7, 7, 9, 7, 7, 7, 9, 7, 7, 7, 9}) == 4);
  CHECK(PeriodOf({1, 2, 3, 4, 5, 6, 7, 8}) == 0);
  CHECK(PeriodOf({1, 2, 3}) == 0);
  std::vector<std::uint64_t> every_16th(48, 5), one_odd(30, 5);
  for (std::size_t i = 15; i < every_16th.size(); i += 16) every_16th[i] = 6;
  CHECK(PeriodOf(every_16th) == 16);
  one_odd[12] = 6;
  CHECK(PeriodOf(one_odd) == 1);
}

TEST_CASE("copies count for the period, unless they come and go without a rule") {
  // Kernels alternate; the odd copy does not follow.
  auto text = [](const std::vector<int>& copies) {
    std::string result;
    int id = 0;
    for (int i = 0; i < 12; ++i) {
      const int at = 100 * i;
      auto add = [&](const std::string& call, const std::string& work, int offset) {
        const std::string number = " #" + std::to_string(++id);
        result += "T1 " + std::to_string(at + offset) + "-" + std::to_string(at + offset + 2) +
                  " api " + call + number + "\nS7 " + std::to_string(at + offset + 3) + "-" +
                  std::to_string(at + offset + 5) + " " + work + number + "\n";
      };
      result += "T1 " + std::to_string(at) + "-" + std::to_string(at + 90) + " push \"step " +
                std::to_string(i) + "\"\n";
      add("cudaLaunchKernel", "kernel f", 10);
      for (int k = 0; k < copies[static_cast<std::size_t>(i) % copies.size()]; ++k) {
        add("cudaMemcpyAsync", "memcpy DtoH bytes=8 src=device dst=pinned", 20 + 10 * k);
      }
    }
    return result;
  };
  CHECK(FindSteps(MakeTrace(text({0, 1}))).period == 2);
  CHECK(FindSteps(MakeTrace(text({0, 0, 0, 1}))).period == 4);
  CHECK(FindSteps(MakeTrace(text({0, 1, 3, 0, 2, 5, 1, 4, 2, 0, 5, 3}))).period == 1);
}
