#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/idle.h"
#include "tests/unit/graph/edges_text.h"

// Calls after which the device takes up work late. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

// Rounds of 1 ms: `call`, a launch right behind it, and its kernel `late` ns after the launch.
std::string Rounds(int count, const std::string& call, int late) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int zero = i * 1'000'000;
    auto line = [&](const char* lane, int begin, int end, const std::string& what, int id) {
      text += std::string(lane) + " " + std::to_string(zero + begin) + "-" +
              std::to_string(zero + end) + " " + what + " #" + std::to_string(3 * i + id) + "\n";
    };
    line("T1", 0, 10'000, "api " + call, 1);
    line("T1", 10'000, 15'000, "api cudaLaunchKernel", 2);
    line("S7", 15'000 + late, 100'000 + late, "kernel k", 2);
    line("T1", 500'000, 505'000, "api cudaLaunchKernel", 3);
    line("S7", 506'000, 520'000, "kernel k", 3);
  }
  return text;
}

TEST_CASE("behind an allocation that maps memory the next operation is late") {
  const GraphOf g(Rounds(4, "cudaMalloc", 120'000));
  CHECK(g.Edges(Rule::kDeviceStall) ==
        "call 1 -> op 2\ncall 4 -> op 5\ncall 7 -> op 8\ncall 10 -> op 11");
  CHECK(g.constant("mapping_stall") == 125'000);
  CHECK(g.constant("submit.kernel") == 1'000);  // Late ones show nothing about the usual way.
  const Schedule replay = Simulate(g.graph());
  CHECK(replay.begin[g.Task("op 11")] == SimTime::At(3'135'000));
  CHECK(replay.begin[g.Task("op 12")] == SimTime::At(3'506'000));
}

TEST_CASE("an allocation holds nothing up where the trace shows no lateness") {
  const GraphOf g(Rounds(4, "cudaMalloc", 1'000));
  CHECK(g.Edges(Rule::kDeviceStall).empty());
  CHECK(g.constant("submit.kernel") == 1'000);
}

TEST_CASE("behind a graphics call lateness is the graphics API's") {
  const GraphOf g(Rounds(4, "cudaGraphicsMapResources", 300'000));
  CHECK(g.constant("graphics_stall.kernel") == 300'000);
  CHECK(g.constant("submit.kernel") == 1'000);
  const IdleReport idle = FindIdle(g.graph(), SimulateGuided(g.graph()), {{0, 3'520'000}});
  CHECK(idle.devices[0].Of(IdleCause::kGraphics).ns == 4 * 300'000);
  CHECK(idle.devices[0].Of(IdleCause::kUnexplained).ns == 0);
}

}  // namespace
}  // namespace xsp
