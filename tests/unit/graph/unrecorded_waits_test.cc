#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "tests/unit/graph/edges_text.h"

namespace xsp::test {
namespace {

// Rounds of two kernels, the second of which waits for the first by an event that nobody recorded.
// It begins `begin` after its round does.
class Rounds {
 public:
  void Add(int begin) {
    Line(0, 5, "T1 api cudaLaunchKernel", 1);
    Line(6, 8, "T1 api cudaEventCreate", 2);
    Line(9, 10, "T1 api cudaLaunchKernel", 3);
    Line(11, 12, "T1 api cudaStreamWaitEvent", 4);
    Line(13, 15, "T1 api cudaLaunchKernel", 5);
    Line(100, 50'000, "S8 kernel long", 1);
    Line(100, 30'000, "S9 kernel short", 3);
    Line(begin, begin + 5'000, "S9 kernel waits", 5);
    ++round_;
  }
  const std::string& text() const { return text_; }

 private:
  void Line(int begin, int end, const std::string& what, int id) {
    constexpr int kRound = 200'000;
    text_ += what.substr(0, 3) + std::to_string(kRound * round_ + begin) + "-" +
             std::to_string(kRound * round_ + end) + " " + what.substr(3) + " #" +
             std::to_string(10 * round_ + id) +
             (what.find("kernel") == 3 ? " flag=nonblocking" : "") + "\n";
  }

  int round_ = 0;
  std::string text_;
};

TEST_CASE("waits for unrecorded events show where they held somebody up") {
  Rounds rounds;
  for (int i = 0; i < 3; ++i) rounds.Add(51'700);
  rounds.Add(120'000);  // Nobody can tell what this one waited for, but others of its kind do.
  const GraphOf g(rounds.text());
  CHECK(g.Edges(Rule::kEventWait) ==
        "op 1 -> op 5\nop 11 -> op 15\nop 21 -> op 25\nop 31 -> op 35");
  CHECK(g.constant("event_latency") > 1'700);

  Overlay slow;
  slow.own = g.graph().own;
  slow.own[g.Task("op 1")] += 30'000;
  const Schedule schedule = Simulate(g.graph(), slow);
  CHECK(schedule.begin[g.Task("op 5")] > SimTime::At(80'000));
}

TEST_CASE("an unrecorded event may stand before the last operation of its stream") {
  std::string text;
  for (int round = 0; round < 3; ++round) {
    const auto line = [&](const std::string& lane, int begin, int end, const std::string& what) {
      const int start = 300'000 * round;
      text += lane + " " + std::to_string(start + begin) + "-" + std::to_string(start + end) + " " +
              what + std::to_string(round) + "\n";
    };
    line("T1", 0, 5, "api cudaLaunchKernel #1");
    line("T1", 6, 8, "api cudaEventCreate #2");
    line("T1", 9, 10, "api cudaLaunchKernel #3");
    line("T1", 11, 12, "api cudaStreamWaitEvent #4");
    line("T1", 13, 15, "api cudaLaunchKernel #5");
    line("S8", 100, 50'000, "kernel first flag=nonblocking #1");
    line("S8", 50'001, 200'000, "kernel second flag=nonblocking #3");
    line("S9", 51'000, 60'000, "kernel waits flag=nonblocking #5");
  }
  CHECK(GraphOf(text).Edges(Rule::kEventWait) == "op 10 -> op 50\nop 11 -> op 51\nop 12 -> op 52");
}

TEST_CASE("several waits before one operation show it once") {
  Rounds rounds;
  rounds.Add(51'700);
  std::string text = rounds.text();
  text += "T1 12-12 api cudaStreamWaitEvent #6\nT1 12-12 api cudaStreamWaitEvent #7\n";
  CHECK(GraphOf(text).Edges(Rule::kEventWait).empty());
}

TEST_CASE("two operations that were held up may be chance") {
  Rounds rounds;
  for (int i = 0; i < 2; ++i) rounds.Add(51'700);
  CHECK(GraphOf(rounds.text()).Edges(Rule::kEventWait).empty());
}

TEST_CASE("operations that nobody held up show nothing about unrecorded events") {
  Rounds on_time, later;
  for (int i = 0; i < 4; ++i) on_time.Add(30'002);
  CHECK(GraphOf(on_time.text()).Edges(Rule::kEventWait).empty());
  for (int i = 0; i < 4; ++i) later.Add(100'000);  // Long after the other kernel.
  CHECK(GraphOf(later.text()).Edges(Rule::kEventWait).empty());
}

TEST_CASE("what was issued before the recording waited for what was not recorded") {
  const GraphOf g(R"(
    S7 0-1000         kernel a
    S7 901000-902000  kernel b
    T1 500000-500010  api cudaLaunchKernel #1
    T1 500020-500030  api cudaLaunchKernel #2
    T1 500040-500050  api cudaLaunchKernel #3
    T1 500060-500070  api cudaLaunchKernel #4
    S7 902001-903000  kernel c #1
    S7 903001-904000  kernel d #2
    S7 904001-905000  kernel e #3
    S7 905001-906000  kernel f #4)");
  CHECK(g.constant("stream_gap.kernel.kernel") == 1);
  const IdleReport idle = FindIdle(g.graph(), SimulateGuided(g.graph()), {{0, 906'000}});
  REQUIRE(idle.devices.size() == 1);
  CHECK(idle.devices[0].Of(IdleCause::kBeforeRecording).ns > 890'000);
  CHECK(idle.devices[0].Of(IdleCause::kUnexplained).ns == 0);
}

}  // namespace
}  // namespace xsp::test
