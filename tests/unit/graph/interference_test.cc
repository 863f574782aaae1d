#include "graph/interference/interference.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/graph/edges_text.h"

// Kernels that take longer beside others. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

constexpr int kRound = 200'000;

// Rounds of 200 us, `alone` of them with a kernel k of 10 us, then `beside` with another kernel of
// 60 us on stream 14 and beside it a k of `slow` ns on stream 13. Calls of a round have the ids
// 2 i + 1 (k) and 2 i + 2 (the other).
std::string Rounds(int alone, int beside, const std::string& other, int slow) {
  std::string text;
  for (int i = 0; i < alone + beside; ++i) {
    auto line = [&](const char* lane, int begin, int end, const std::string& what, int id) {
      text += std::string(lane) + " " + std::to_string(i * kRound + begin) + "-" +
              std::to_string(i * kRound + end) + " " + what + " #" + std::to_string(2 * i + id) +
              (*lane == 'S' ? " flag=nonblocking\n" : "\n");
    };
    const bool has_company = i >= alone;
    if (has_company) {
      line("T1", 0, 5'000, "api cudaLaunchKernel", 2);
      line("S14", 6'000, 66'000, "kernel " + other, 2);
    }
    line("T1", 10'000, 15'000, "api cudaLaunchKernel", 1);
    line("S13", 16'000, 16'000 + (has_company ? slow : 10'000), "kernel k grid=4x1x1", 1);
  }
  return text;
}

DurationNs LengthIn(const Schedule& schedule, TaskId task) {
  return schedule.finish[task] - schedule.begin[task];
}

constexpr char kAllReduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

TEST_CASE("what a collective costs the kernels beside it is learned by kernel and grid") {
  const GraphOf g(Rounds(4, 4, kAllReduce, 30'000));
  REQUIRE(g.graph().slowdowns.size() == 1);
  const Slowdown& slowdown = g.graph().slowdowns[0];
  CHECK(slowdown.beside_collective.factor == 3);
  CHECK(slowdown.beside_collective.n == 4);
  CHECK(slowdown.alone == 4);
  CHECK(slowdown.beside_kernel.factor == 1);
  const CompanyTime company = MeasuredCompany(g.graph());
  CHECK(company.total == 4 * 30'000);
  CHECK(company.learned == company.total);
}

TEST_CASE("an unchanged replay keeps what kernels took beside a collective") {
  const GraphOf g(Rounds(4, 4, kAllReduce, 30'000));
  const Schedule replay = Simulate(g.graph());
  CHECK(LengthIn(replay, g.Task("op 1")) == 10'000);
  CHECK(LengthIn(replay, g.Task("op 15")) == 30'000);
}

TEST_CASE("a kernel that no longer runs beside a collective takes its faster time") {
  const GraphOf g(Rounds(4, 4, kAllReduce, 30'000));
  Overlay overlay;
  overlay.own = g.graph().own;
  overlay.own[g.Task("op 16")] = 0;
  overlay.own[g.Task("op 14")] = 20'000;  // Ends 10 us after k has begun.
  const Schedule schedule = Simulate(g.graph(), overlay);
  CHECK(LengthIn(schedule, g.Task("op 15")) == 10'000);
  CHECK(LengthIn(schedule, g.Task("op 13")) == 10'000 + 6'667);
  overlay.ignored_rules = 1u << IndexOf(Rule::kInterference);
  CHECK(LengthIn(Simulate(g.graph(), overlay), g.Task("op 15")) == 30'000);
}

TEST_CASE("a kernel that comes to run beside a collective takes its slower time") {
  // A short collective ends before the last k begins; now it takes longer.
  const GraphOf g(Rounds(4, 4, kAllReduce, 30'000) +
                  "T1 1600000-1605000 api cudaLaunchKernel #101\n"
                  "S14 1606000-1607000 kernel ncclDevKernel_AllReduce #101 flag=nonblocking\n"
                  "T1 1620000-1625000 api cudaLaunchKernel #102\n"
                  "S13 1626000-1636000 kernel k grid=4x1x1 #102 flag=nonblocking\n");
  CHECK(LengthIn(Simulate(g.graph()), g.Task("op 102")) == 10'000);
  Overlay overlay;
  overlay.own = g.graph().own;
  overlay.own[g.Task("op 101")] = 100'000;
  CHECK(LengthIn(Simulate(g.graph(), overlay), g.Task("op 102")) == 30'000);
  for (DurationNs& own : overlay.own) own /= 2;
  CHECK(LengthIn(Simulate(g.graph(), overlay), g.Task("op 102")) == 15'000);
}

TEST_CASE("kernels of different streams slow each other down where the trace shows it") {
  // What others cost depends on how many and how large they are: a few tell nothing.
  CHECK(GraphOf(Rounds(4, 19, "j", 30'000)).graph().slowdowns.empty());
  const GraphOf g(Rounds(4, 20, "j", 30'000));
  REQUIRE(g.graph().slowdowns.size() == 1);  // j never ran alone.
  CHECK(g.graph().slowdowns[0].beside_kernel.factor == 3);
  Overlay overlay;
  overlay.own = g.graph().own;
  overlay.own[g.Task("op 16")] = 0;
  CHECK(LengthIn(Simulate(g.graph(), overlay), g.Task("op 15")) == 10'000);
}

TEST_CASE("nothing is learned from one kernel, or where times are alike with and without company") {
  CHECK(GraphOf(Rounds(4, 1, kAllReduce, 30'000)).graph().slowdowns.empty());
  const GraphOf g(Rounds(4, 4, kAllReduce, 10'500));
  CHECK(g.graph().slowdowns.empty());
  CHECK(g.graph().interference.empty());
}

}  // namespace
}  // namespace xsp
