#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/names/framework_use.h"
#include "hierarchy/selection/chosen_steps.h"
#include "hierarchy/steps/counted_steps.h"
#include "tests/support/timeline.h"

using namespace xsp;
using xsp::test::MakeTrace;

namespace {

// Steps with these texts and lengths in ms, one behind the other, two launches in each.
std::string Served(const std::vector<std::pair<std::string, double>>& steps) {
  std::string text;
  long at = 0;
  int id = 1;
  for (const auto& [name, ms] : steps) {
    const long ns = static_cast<long>(ms * 1e6);
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + ns) + " push \"" + name + "\"\n";
    for (int k = 0; k < 2; ++k, ++id) {
      const long launch = at + 1000 + 3000 * k;
      text += "T1 " + std::to_string(launch) + "-" + std::to_string(launch + 500) +
              " api cudaLaunchKernel #" + std::to_string(id) + "\nS7 " +
              std::to_string(launch + 1000) + "-" + std::to_string(launch + 2000) + " kernel k #" +
              std::to_string(id) + "\n";
    }
    at += ns;
  }
  return text;
}

std::string Decode(int requests) { return "step[DECODE bs=" + std::to_string(requests) + "]"; }
const std::string kPrefill = "step[EXTEND bs=2 toks=2048]";

// "PDDD": the kind of each step; then its role, as in step_roles_test.cc.
std::string KindsIn(const Steps& steps) {
  constexpr std::string_view kRoles = "Cco-";
  std::string text;
  for (const Step& step : steps.steps) {
    text += (text.empty() ? "" : " ") + (step.kind().empty() ? "?" : step.kind().substr(0, 1));
    text += kRoles[static_cast<std::size_t>(step.role)];
  }
  return text;
}

}  // namespace

TEST_CASE("steps have the kind that their framework tells, and are judged within it") {
  const Steps steps = FindSteps(MakeTrace(Served({{kPrefill, 60},
                                                  {Decode(8), 9},
                                                  {Decode(8), 9},
                                                  {kPrefill, 61},
                                                  {Decode(8), 9},
                                                  {Decode(8), 14},
                                                  {Decode(8), 9},
                                                  {Decode(8), 9},
                                                  {Decode(8), 9}})));
  CHECK(KindsIn(steps) == "pC dC dC pC dC do dC dC dC");
  REQUIRE(steps.kinds.size() == 2);
  CHECK(steps.kinds[0].name == "prefill");  // By time.
  CHECK(steps.kinds[0].count == 2);
  // Two are too few to speak of.
  CHECK(steps.main_kind == "decode");
  const CountedSteps set = CountSteps(steps);
  CHECK(set.kind == "decode");
  CHECK(set.found == 7);
  CHECK(set.typical == 9'000'000);
  CHECK(WordsOf(set).starts_with(
      "7 decode steps, 6 of them 9.000 ms (±0.00 %), step 6 is an outlier"));
  CHECK(steps.steps[0].content.requests == 2);
  CHECK(steps.steps[0].content.tokens == 2048);
  CHECK(CountSteps(steps, "prefill").typical == 60'500'000);
}

TEST_CASE("texts that stand around the same step twice are one step") {
  const std::string trace = R"text(
T1 0-100 push "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk900sqsq32sqsk900)"
T1 10-90 push "step[DECODE bs=32]"
T1 20-25 api cudaLaunchKernel #1
S7 30-80 kernel k #1
)text";
  const Steps steps = FindSteps(MakeTrace(trace));
  REQUIRE(steps.size() == 1);
  CHECK(steps.steps[0].kind() == "decode");
  REQUIRE(steps.steps[0].content.lengths);
  CHECK(steps.steps[0].content.lengths->sk == 900);
  CHECK(steps.steps[0].name.starts_with("execute_32_"));
}

TEST_CASE("a batch that grows or runs out is not steady") {
  std::vector<std::pair<std::string, double>> steps;
  for (int requests : {1, 4, 8, 16, 32, 31, 32, 32, 30, 32, 32, 32, 12, 3}) {
    steps.emplace_back(Decode(requests), 9);
  }
  CHECK(KindsIn(FindSteps(MakeTrace(Served(steps)))) ==
        "d- d- d- d- dC dC dC dC dC dC dC dC d- d-");
  // Requests that come and go all the time are.
  steps.clear();
  for (int requests : {9, 2, 7, 1, 8, 3, 9, 2}) steps.emplace_back(Decode(requests), 9);
  CHECK(KindsIn(FindSteps(MakeTrace(Served(steps)))) == "dC dC dC dC dC dC dC d-");
}

TEST_CASE("what names steps without a framework has no kind") {
  const Steps steps = FindSteps(MakeTrace(Served({{"step 1", 9}, {"step 2", 9}, {"step 3", 9}})));
  CHECK(KindsIn(steps) == "?C ?C ?C");
  CHECK(steps.kinds.empty());
  CHECK(steps.main_kind.empty());
  CHECK(CountSteps(steps).kind.empty());
}

TEST_CASE("weak texts count only beside others of the same framework") {
  const std::vector<std::pair<std::string, double>> decode(4, {"Decode", 9});
  CHECK(FindSteps(MakeTrace(Served(decode))).kinds.empty());
  const std::string megatron =
      "T1 2000-2600 push \"megatron.core.transformer.attention.forward.qkv\"\n";
  CHECK(KindsIn(FindSteps(MakeTrace(Served(decode) + megatron))) == "dC dC dC dC");
}

TEST_CASE("steps are chosen by kind, and one that there is not lists what there is") {
  const Steps steps = FindSteps(MakeTrace(
      Served({{kPrefill, 60}, {Decode(8), 9}, {Decode(8), 9}, {kPrefill, 61}, {Decode(8), 9}})));
  using List = std::vector<std::uint32_t>;
  CHECK(ChosenSteps(steps, {.kind = "decode"}) == List{1, 2, 4});
  CHECK(ChosenSteps(steps, {.skip = 1, .kind = "decode"}) == List{2, 4});
  CHECK(ChosenSteps(steps, {.runs = {{1, 3}}, .kind = "decode"}) == List{1, 2});
  CHECK(StepsToCount(steps, {.kind = "prefill"}).counted == List{0, 3});
  CHECK_THROWS_WITH(ChosenSteps(steps, {.kind = "train"}),
                    Catch::Contains("no step is of this kind"));
  CHECK_THROWS_WITH(StepsToCount(FindSteps(MakeTrace(Served({{"step 1", 9}, {"step 2", 9}}))),
                                 {.kind = "decode"}),
                    Catch::Contains("have no kinds"));
}

TEST_CASE(
    "a module's dictionary with other shapes is the same layer, whatever words its path has") {
  const Trace trace = MakeTrace(R"(
T1 0-100 push "step[DECODE bs=8]"
T1 10-90 push "{'Module': 'model.layers.3.mlp.topk', 'TrainableParams': {}, 'Inputs': [[8, 64]]}"
T1 20-25 api cudaLaunchKernel #1
S7 30-80 kernel k #1
T1 100-200 push "step[DECODE bs=9]"
T1 110-190 push "{'Module': 'model.layers.3.mlp.topk', 'TrainableParams': {}, 'Inputs': [[9, 64]]}"
T1 120-125 api cudaLaunchKernel #2
S7 130-180 kernel k #2
)");
  const Hierarchy hierarchy(trace);
  for (EventId work : trace.DeviceWork()) {
    const NodeId node = hierarchy.NodeOfWork(work);
    CHECK(hierarchy.Name(node) == "model.layers.3.mlp.topk");
    CHECK(hierarchy.nodes().level[node.value] == Level::kLayer);
  }
  REQUIRE(trace.operators().event.size() == 2);
  CHECK(trace.strings()[trace.operators().module[0]] == "model.layers.3.mlp.topk");
  CHECK(trace.operators().signature[0] != trace.operators().signature[1]);
  CHECK(trace.operands().size == std::vector<std::uint64_t>{8, 64, 9, 64});
  const FrameworkUses uses = FrameworksIn(trace, hierarchy.names());
  CHECK(uses.ranges == 4);
  REQUIRE(uses.frameworks.size() == 2);
  CHECK(uses.ShareOf(uses.frameworks[0]) == 0.5);
}

TEST_CASE("texts with iteration numbers are steps, not the phase forward") {
  std::vector<std::pair<std::string, double>> steps;
  for (int i = 0; i < 4; ++i) {
    steps.emplace_back(
        "[Executor] _forward_step " + std::to_string(i) + ": 0 ctx reqs, 0 ctx tokens, 8 gen reqs",
        9);
  }
  const Steps found = FindSteps(MakeTrace(Served(steps)));
  CHECK(KindsIn(found) == "dC dC dC dC");
  CHECK(found.steps[3].content.iteration == 3);
}

namespace {

// Steps on a thread with a stream of its own: begin and end in us, one kernel in each.
std::string OnThread(int thread, int stream, int first_id,
                     const std::vector<std::tuple<std::string, long, long>>& steps) {
  std::string text;
  const std::string t = "T" + std::to_string(thread) + " ";
  for (const auto& [name, begin, end] : steps) {
    const std::string id = " #" + std::to_string(first_id++);
    const auto time = [&](long from, long to) {
      return std::to_string(from) + "-" + std::to_string(to);
    };
    text += t + time(begin, end) + " push \"" + name + "\"\n";
    text += t + time(begin + 1, begin + 2) + " api cudaLaunchKernel" + id + "\n";
    text += "S" + std::to_string(stream) + " " + time(begin + 3, end - 1) + " kernel k" + id +
            " flag=nonblocking\n";
  }
  return text;
}

}  // namespace

TEST_CASE("what an engine launches behind its range, until the next one, is the step's") {
  std::string timeline;
  for (long step = 0; step < 4; ++step) {
    const long at = step * 10'000;
    const auto id = std::to_string(2 * step + 1), sampling = std::to_string(2 * step + 2);
    const auto time = [&](long from, long to) {
      return std::to_string(at + from) + "-" + std::to_string(at + to);
    };
    timeline += "T1 " + time(0, 1000) + " push \"execute_context_0(0)_generation_8(8)\"\n";
    timeline += "T1 " + time(10, 20) + " api cudaGraphLaunch #" + id + "\n";
    timeline += "S7 " + time(30, 7000) + " kernel model #" + id + "\n";
    timeline += "T1 " + time(6000, 6010) + " api cudaLaunchKernel #" + sampling + "\n";
    timeline += "S7 " + time(7000, 8000) + " kernel sample #" + sampling + "\n";
  }
  // Long after the second step the host copies what the third one will work on.
  timeline += "T1 19500-19510 api cudaMemcpyAsync #90\nS7 19520-19530 memcpy HtoD #90 bytes=8\n";
  const Trace trace = MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  REQUIRE(hierarchy.steps().size() == 4);
  CHECK(hierarchy.steps().steps[1].time == TimeRange{10'000, 18'000});
  for (EventId work : trace.DeviceWork()) {
    const bool is_outside = hierarchy.StepOfWork(work) == Steps::kOutside;
    CHECK(is_outside == (trace.KindOf(work) == EventKind::kMemcpy));
  }
}

TEST_CASE("two engines in a process are told apart: one's steps, and the other beside them") {
  const Steps steps =
      FindSteps(MakeTrace(OnThread(1, 14, 1, {{Decode(8), 0, 100}, {Decode(8), 100, 200}}) +
                          OnThread(2, 15, 10, {{Decode(2), 50, 90}, {Decode(2), 110, 160}})));
  REQUIRE(steps.size() == 2);
  CHECK(steps.steps[0].content.requests == 8);
  REQUIRE(steps.beside.size() == 1);
  CHECK(steps.beside[0].name == "stream 15 (thread 2)");
  CHECK(steps.beside[0].has_steps);
  CHECK_THAT(NotesOn(CountSteps(steps)).at(0), Catch::Contains("--thread chooses it"));
}

TEST_CASE("a draft model's thread that takes turns with the target's has its steps among them") {
  const Steps steps = FindSteps(MakeTrace(
      OnThread(1, 14, 1,
               {{"step[TARGET_VERIFY bs=4]", 0, 100}, {"step[TARGET_VERIFY bs=4]", 150, 250}}) +
      OnThread(2, 15, 10,
               {{"step[DRAFT_LOOP raw_bs=4 bs=4 topk=1]", 100, 150},
                {"step[DRAFT_LOOP raw_bs=4 bs=4 topk=1]", 250, 300}})));
  CHECK(KindsIn(steps) == "vC dC vC dC");
  CHECK(steps.beside.empty());
}

TEST_CASE("threads of one process that say the same on GPUs of their own are ranks") {
  std::string other = OnThread(2, 15, 10, {{Decode(8), 5, 102}, {Decode(8), 103, 204}});
  for (std::size_t at = 0; (at = other.find("S15", at)) != other.npos; at += 8) {
    other.replace(at, 3, "D1.C2.S15");
  }
  const Steps steps = FindSteps(
      MakeTrace(OnThread(1, 14, 1, {{Decode(8), 0, 100}, {Decode(8), 100, 200}}) + other));
  CHECK(steps.size() == 2);
  for (const WorkBeside& beside : steps.beside) CHECK_FALSE(beside.has_steps);
}

TEST_CASE("a recording that begins in the middle: the first step begins with its own work") {
  const Steps steps = FindSteps(MakeTrace(R"(
T1     0-9500 push "step[DECODE bs=32]"
T1    10-12   api cudaLaunchKernel #1
S8    15-16   kernel small #1
T1    20-22   api cudaLaunchKernel #2
S9  9000-9300 kernel first #2
T1    30-9400 api cudaMemcpy #3
S9  9300-9350 memcpy DtoH #3 bytes=64
T1  9410-9420 api cudaLaunchKernel #4
S9  9422-9900 kernel last #4
)"));
  REQUIRE(steps.size() == 1);
  CHECK(steps.steps[0].time == TimeRange{9000, 9900});
}

TEST_CASE("a first step whose work waits for what was recorded begins with its range") {
  const Steps steps = FindSteps(MakeTrace(R"(
T1     0-5    api cudaLaunchKernel #1
S9    10-9000 kernel before #1
T1    20-9500 push "step[DECODE bs=32]"
T1    30-32   api cudaLaunchKernel #2
S9  9000-9900 kernel first #2
)"));
  REQUIRE(steps.size() == 1);
  CHECK(steps.steps[0].time == TimeRange{9000, 9900});  // All that was launched before is done.
  const Steps other = FindSteps(MakeTrace(R"(
T1     0-9500 push "step[DECODE bs=32]"
T1    10-12   api cudaLaunchKernel #1
S8    15-8990 kernel long #1
T1    20-22   api cudaLaunchKernel #2
S9  9000-9300 kernel next #2
)"));
  REQUIRE(other.size() == 1);
  CHECK(other.steps[0].time.begin == 0);
}

namespace {

// Two processes that talk to each other, each with steps of these texts, 100 ns apiece.
Steps StepsOfTwo(const std::vector<std::string>& one, long begin_one,
                 const std::vector<std::string>& two, long begin_two) {
  std::string text = "P1.T1 1-2 mpi MPI_Send bytes=8\nP2.T1 1-2 mpi MPI_Recv bytes=8\n";
  int id = 1;
  const auto add = [&](const std::string& process, const std::vector<std::string>& names, long at) {
    for (const std::string& name : names) {
      const auto time = [&](long from, long to) {
        return std::to_string(at + from) + "-" + std::to_string(at + to);
      };
      const std::string number = " #" + std::to_string(id++);
      text += process + "T1 " + time(0, 100) + " push \"" + name + "\"\n";
      text += process + "T1 " + time(10, 12) + " api cudaLaunchKernel" + number + "\n";
      text += process + (process == "P2." ? "D1." : "") + "S7 " + time(20, 90) + " kernel k" +
              number + "\n";
      at += 100;
    }
  };
  add("P1.", one, begin_one);
  add("P2.", two, begin_two);
  return FindSteps(MakeTrace(text));
}

}  // namespace

TEST_CASE("a rank that recorded a step more at its begin is aligned by the texts") {
  const std::vector<std::string> texts = {kPrefill, Decode(8), Decode(7), kPrefill, Decode(8)};
  std::vector<std::string> more = {Decode(9)};
  more.insert(more.end(), texts.begin(), texts.end());
  for (const bool is_first : {true, false}) {
    const Steps steps =
        is_first ? StepsOfTwo(more, 0, texts, 100) : StepsOfTwo(texts, 100, more, 0);
    REQUIRE(steps.size() == 5);
    CHECK(steps.steps[0].kind() == "prefill");
    CHECK(steps.steps[0].time.begin == 100);
    CHECK(steps.steps[2].content.requests == 7);  // Of one batch, on two ranks.
  }
}

TEST_CASE("ranks with batches of their own: a step holds them all") {
  const Steps steps =
      StepsOfTwo({Decode(8), Decode(7), kPrefill, Decode(5)}, 0,
                 {Decode(3), "step[IDLE bs=0]", "step[EXTEND bs=1 toks=512]", kPrefill}, 0);
  REQUIRE(steps.size() == 4);
  CHECK(steps.steps[0].content.requests == 11);
  CHECK(steps.steps[0].content.tokens == 11);
  CHECK(steps.steps[1].kind() == "decode");
  CHECK(steps.steps[1].content.tokens == 7);
  CHECK(steps.steps[2].kind() == "prefill");
  CHECK(steps.steps[2].content.tokens == 2560);
  CHECK(steps.steps[3].kind() == "mixed");
}
