#include "graph/trust/trust.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/trust/pace_makers.h"
#include "graph/trust/unseen_threads.h"
#include "hierarchy/steps/steps.h"
#include "tests/support/timeline.h"
#include "tests/unit/graph/edges_text.h"

// How far a graph can be trusted. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

std::string At(std::int64_t ns) { return std::to_string(ns); }

// Thirty launches, 30 us apart, each with a kernel of 10 us; `between` writes what the host does
// from 6 us to 30 us after a launch began.
template <class Between>
std::string Launches(std::int64_t apart, Between between) {
  std::string text;
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::int64_t begin = i * apart;
    const std::string id = " #" + At(i + 1) + "\n";
    text += "T1 " + At(begin) + "-" + At(begin + 5'000) + " api cudaLaunchKernel" + id;
    text += "S7 " + At(begin + 6'000) + "-" + At(begin + 16'000) + " kernel a" + id;
    text += between(begin + 6'000, begin + apart);
  }
  return text;
}

Trust TrustOf(const std::string& text) {
  const GraphOf g(text);
  return JudgeTrust(UnitBench(g.graph(), {}, SpanUnit(g.graph())), {});
}

std::string Nothing(std::int64_t, std::int64_t) { return ""; }

TEST_CASE("nothing speaks against a host that works between its launches") {
  const Trust trust = TrustOf(Launches(30'000, Nothing));
  CHECK(trust.level == TrustLevel::kHigh);
  CHECK(trust.reasons.empty());
  CHECK(trust.operations == 30);
}

TEST_CASE("a host that sleeps between its launches may do so for any reason") {
  const Trust trust = TrustOf(Launches(30'000, [](std::int64_t begin, std::int64_t end) {
    return "T1 " + At(begin) + "-" + At(end - 2'000) + " osrt nanosleep\n";
  }));
  CHECK(trust.Of(Doubt::kWaits) == Approx(22.0 / 30).epsilon(0.1));
  CHECK(trust.level == TrustLevel::kLow);
  REQUIRE(trust.reasons.size() == 1);
  CHECK(trust.reasons[0].doubt == Doubt::kWaits);
}

// Two threads by turns, each silent for a millisecond before it launches.
TEST_CASE("threads that take turns slowly may do other things than wait for each other") {
  std::string text;
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::int64_t begin = i * 1'000'000;
    const std::string id = " #" + At(i + 1) + "\n";
    text += (i % 2 == 0 ? "T1 " : "T2 ") + At(begin) + "-" + At(begin + 5'000) +
            " api cudaLaunchKernel" + id;
    text += "S7 " + At(begin + 6'000) + "-" + At(begin + 16'000) + " kernel a" + id;
  }
  const Trust trust = TrustOf(text);
  CHECK(trust.Of(Doubt::kWaits) > 0.9);
  CHECK(trust.level == TrustLevel::kLow);
}

TEST_CASE("system calls that work are no reason to doubt") {
  const Trust trust = TrustOf(Launches(30'000, [](std::int64_t begin, std::int64_t end) {
    return "T1 " + At(begin) + "-" + At(end - 2'000) + " osrt fwrite\n";
  }));
  CHECK(trust.level == TrustLevel::kHigh);
}

TEST_CASE("long silences may be waits where system calls were not recorded") {
  const Trust silent = TrustOf(Launches(3'000'000, Nothing));
  CHECK(silent.Of(Doubt::kSilence) > 0.9);
  CHECK(silent.level == TrustLevel::kFair);
  const Trust told = TrustOf(Launches(3'000'000, Nothing) + "T9 1-2 osrt fopen\n");
  CHECK(told.Of(Doubt::kSilence) == 0);
  CHECK(told.level == TrustLevel::kHigh);
}

TEST_CASE("a handful of operations tells little") {
  const Trust trust = TrustOf("T1 0-5000 api cudaLaunchKernel #1\nS7 6000-90000 kernel a #1\n");
  CHECK(trust.level == TrustLevel::kFair);
  REQUIRE(trust.reasons.size() == 1);
  CHECK(trust.reasons[0].doubt == Doubt::kFewOperations);
}

TEST_CASE("a launch that takes long for no reason is doubted, one that is waited for is not") {
  // Every second launch takes 100 us more, and no queue is full.
  std::string text;
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::int64_t begin = i * 250'000;
    const std::string id = " #" + At(i + 1) + "\n";
    text += "T1 " + At(begin) + "-" + At(begin + 105'000) + " api cudaLaunchKernel" + id;
    text += "S7 " + At(begin + 106'000) + "-" + At(begin + 116'000) + " kernel a" + id;
  }
  CHECK(TrustOf(text).Of(Doubt::kLongCalls) > 0.3);
}

TEST_CASE("without a rule that it needs, a graph is trusted less") {
  std::string text;
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::int64_t begin = i * 200'000;
    const std::string id = At(i + 1);
    text += "T1 " + At(begin) + "-" + At(begin + 5'000) + " api cudaLaunchKernel #" + id + "\n";
    text += "S7 " + At(begin + 6'000) + "-" + At(begin + 150'000) + " kernel a #" + id + "\n";
    text += "T1 " + At(begin + 8'000) + "-" + At(begin + 155'000) +
            " api cudaDeviceSynchronize #1" + id + "\n";
    text += "T1 " + At(begin + 8'000) + "-" + At(begin + 155'000) + " sync context #1" + id + "\n";
  }
  const GraphOf g(text);
  const UnitBench bench(g.graph(), {}, SpanUnit(g.graph()));
  CHECK(JudgeTrust(bench, {}).level == TrustLevel::kHigh);
  const Trust without = JudgeTrust(bench, {}, 1u << IndexOf(Rule::kHostSync));
  CHECK(without.level == TrustLevel::kLow);
  CHECK(without.reasons[0].doubt == Doubt::kReplay);
}

// Steps of 1 ms that wait for their own stream, and a thread that launches into another one.
std::string StepsAndThread(std::int64_t apart, std::string_view also = "") {
  std::string text(also);
  for (std::int64_t i = 0; i < 20; ++i) {
    const std::int64_t begin = 1'000'000 * i, other = apart * i + 300'000;
    const auto line = [&](std::string_view thread, std::int64_t from, std::int64_t ns,
                          const std::string& what) {
      text += std::string(thread) + " " + At(from) + "-" + At(from + ns) + " " + what + "\n";
    };
    const std::string id = " #" + At(3 * i + 1), sync = " #" + At(3 * i + 2),
                      beside = " #" + At(3 * i + 3);
    line("T1", begin, 990'000, "push \"step " + At(i) + "\"");
    line("T1", begin + 10'000, 5'000, "api cudaLaunchKernel" + id);
    line("S13", begin + 20'000, 900'000, "kernel k" + id + " flag=nonblocking");
    line("T1", begin + 20'000, 905'000, "api cudaStreamSynchronize" + sync);
    line("T1", begin + 20'000, 905'000, "sync stream=13" + sync);
    line("T2", other, 5'000, "api cudaLaunchKernel" + beside);
    line("S14", other + 10'000, 200'000, "kernel m" + beside + " flag=nonblocking");
  }
  return text;
}

TEST_CASE("threads that go on at one place of every step are said to keep pace with it") {
  const auto in_step = [](const std::string& text) {
    const GraphOf g(text);
    return ThreadsInStep(g.graph(), FindSteps(*g.graph().trace)).size();
  };
  CHECK(in_step(StepsAndThread(1'000'000)) == 1);
  CHECK(in_step(StepsAndThread(870'000)) == 0);
  // System calls would show who waits for whom.
  CHECK(in_step(StepsAndThread(1'000'000, "T2 400000-400010 osrt read\n")) == 0);
}

// Two threads with steps of 1 ms each, of which the second one's end `late` ns after the first's.
std::string Stages(std::int64_t late) {
  std::string text;
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t k = 0; k < 2; ++k) {
      const std::int64_t begin = 1'000'000 * i + k * late, work = 900'000 - 400'000 * k;
      const std::string thread = "T" + At(k + 1), stream = At(13 + k);
      const std::string id = " #" + At(4 * i + 2 * k + 1), sync = " #" + At(4 * i + 2 * k + 2);
      const auto line = [&](const std::string& lane, std::int64_t from, std::int64_t ns,
                            const std::string& what) {
        text += lane + " " + At(from) + "-" + At(from + ns) + " " + what + "\n";
      };
      line(thread, begin, work + 40'000, "push \"step " + At(i) + "\"");
      line(thread, begin + 10'000, 5'000, "api cudaLaunchKernel" + id);
      line("S" + stream, begin + 20'000, work, "kernel k" + At(k) + id + " flag=nonblocking");
      line(thread, begin + 20'000, work + 5'000, "api cudaStreamSynchronize" + sync);
      line(thread, begin + 20'000, work + 5'000, "sync stream=" + stream + sync);
    }
  }
  return text;
}

TEST_CASE("stages that each have steps may wait for each other") {
  const GraphOf g(Stages(930'000));
  const Steps steps = FindSteps(*g.graph().trace);
  REQUIRE(steps.beside.empty());
  CHECK(ThreadsInStep(g.graph(), steps).size() == 2);
}

TEST_CASE("threads with a name of their own and nothing recorded may be waited for") {
  const auto unseen = [](const std::string& more) {
    const Trace trace = test::MakeTrace(StepsAndThread(870'000, more));
    return UnseenThreads(trace, FindSteps(trace));
  };
  CHECK(unseen("").empty());
  CHECK(unseen("T5 0 named receiver\n") == std::vector<std::string>{"receiver"});
  // Those of CUDA and of profilers wait for the program, not it for them.
  CHECK(unseen("T5 0 named cuda-EvtHandlr\nT6 0 named \"[NSys Comms]\"\n").empty());
  // System calls would show what it does, and so do calls of its own.
  CHECK(unseen("T5 0 named receiver\nT2 400000-400010 osrt read\n").empty());
  CHECK(unseen("T2 0 named receiver\n").empty());
}

}  // namespace
}  // namespace xsp
