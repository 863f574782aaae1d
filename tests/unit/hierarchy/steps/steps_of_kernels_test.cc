#include <catch2/catch.hpp>
#include <string>

#include "hierarchy/steps/steps.h"
#include "tests/support/timeline.h"
#include "tests/unit/hierarchy/steps/steps_text.h"

using namespace xsp;
using xsp::test::MakeTrace;
using xsp::test::StepsOf;

namespace {

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
