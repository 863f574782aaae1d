#include "graph/readings/late_starts.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/builder.h"
#include "report/graph/replay_words.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// Five launches 1 us before their kernels, then one whose kernel `name` begins 2 ms late.
std::string LateWords(const std::string& name) {
  std::string text;
  for (int i = 1; i <= 5; ++i) {
    const std::string at = std::to_string(i) + "00000", id = " #" + std::to_string(i) + "\n";
    text += "T1 " + at + "-" + std::to_string(i) + "05000 api cudaLaunchKernel" + id;
    text += "S7 " + std::to_string(i) + "06000-" + std::to_string(i) + "10000 kernel a" + id;
  }
  text += "T1 600000-605000 api cudaLaunchKernel #6\nS7 2606000-2610000 kernel " + name + " #6\n";
  const Trace trace = test::MakeTrace(text);
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  const IdleReport idle = FindIdle(graph, SimulateGuided(graph), {{106'000, 2'610'000}});
  return LateStartWords(FindLateStarts(graph, idle), idle.total());
}

TEST_CASE("work that began late with nothing to wait for is told, and whether it is new") {
  const std::string words = LateWords("a");
  CHECK(words.starts_with("Not explained: the GPU began 1 operation late, by 2.0"));
  CHECK(words.find("first of its name") == std::string::npos);
  CHECK(LateWords("b").find("It is the first of its name") != std::string::npos);
}

}  // namespace
}  // namespace xsp
