#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/replay.h"
#include "graph/readings/verify.h"
#include "tests/unit/graph/edges_text.h"

namespace xsp {
namespace {

using test::GraphOf;

// A host that keeps ahead of the device, then synchronizes.
constexpr std::string_view kDeviceBound = R"(
    T1 0-1000       api cudaLaunchKernel #1
    T1 2000-3000    api cudaLaunchKernel #2
    T1 4000-5000    api cudaLaunchKernel #3
    T1 6000-304000  api cudaDeviceSynchronize #4
    T1 6000-304000  sync context #4
    S7 2000-100000  kernel a #1
    S7 101000-200000 kernel b #2
    S7 201000-300000 kernel c #3)";

TEST_CASE("the unchanged graph replays what was measured") {
  const GraphOf g(kDeviceBound);
  const ReplayError error = CompareReplay(g.graph(), Simulate(g.graph()), {});
  CHECK(error.measured == 298000);
  CHECK(std::abs(error.error) < 0.005);
}

TEST_CASE("a sync moves with the work it waits for") {
  const GraphOf g(kDeviceBound);
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  const SimTime sync = halved.finish[g.Task("call 4")];
  CHECK(sync < SimTime::At(170000));
  CHECK(halved.finish_by[g.Task("call 4")] == Binding{g.Task("op 3"), Rule::kHostSync});
}

TEST_CASE("a frozen sync does not move") {
  const GraphOf g(kDeviceBound);
  Overlay overlay = HalveKernels(g.graph());
  Freeze(g.graph(), Rule::kHostSync, overlay);
  const Schedule halved = Simulate(g.graph(), overlay);
  CHECK(halved.finish[g.Task("call 4")] == SimTime::At(304000));
}

// 1030 launches that take hardly any time, of kernels that take 9.9 µs each.
std::string LaunchesIntoFullQueue() {
  std::string text;
  auto line = [&](const char* track, TimeNs begin, TimeNs end, const char* what, int id) {
    text += std::string(track) + " " + std::to_string(begin) + "-" + std::to_string(end) + " " +
            what + " #" + std::to_string(id) + "\n";
  };
  TimeNs host = 0;
  for (int i = 0; i < 1030; ++i) {
    const TimeNs end = i < 1022 ? host + 1 : 10000 * (i - 1022) + 10100;
    line("T1", host, end, "api cudaLaunchKernel", i + 1);
    line("S7", 10000 * i + 100, 10000 * i + 10000, "kernel k", i + 1);
    host = end + 1;
  }
  return text;
}

TEST_CASE("a full queue holds the launch until the command that many places before has finished") {
  const GraphOf g(LaunchesIntoFullQueue());
  CHECK(g.graph().queue_depth == 1021);
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  const TaskId last = g.Task("call 1030");
  CHECK(halved.finish_by[last] == Binding{g.Task("op 8"), Rule::kLaunchQueue});
  CHECK(halved.finish[last] < SimTime::At(60000));
}

TEST_CASE("a copy that holds its call leaves when there is a place in the queue") {
  const GraphOf g(LaunchesIntoFullQueue() + R"(
    T1 80101-95000 api cudaMemcpy #1031
    S8 90200-94000 memcpy DtoH #1031 bytes=4000000 src=device dst=pageable flag=nonblocking)");
  CHECK(g.Edges(Rule::kLaunchQueue).find("op 9 -> op 1031") != std::string::npos);
  const Schedule replay = Simulate(g.graph());
  CHECK(replay.begin_by[g.Task("op 1031")] == Binding{g.Task("op 9"), Rule::kLaunchQueue});
}

// Launches in turn into a stream of kernels of 10 µs and one with a single kernel of a second, with
// places for 20 commands: whichever finishes makes room.
std::string LaunchesBesideALongKernel() {
  std::string text =
      "T1 0-1 api cudaLaunchKernel #1\nS14 100-1000000000 kernel long #1 flag=nonblocking\n";
  TimeNs host = 2;
  for (int i = 0; i < 60; ++i) {
    const std::string id = " #" + std::to_string(i + 2) + "\n";
    // 20 are outstanding when this one begins from the 19th on: it returns when the one 19 places
    // before has finished.
    const TimeNs end = i < 19 ? host + 1 : 10000 * (i - 19) + 10100;
    text += "T1 " + std::to_string(host) + "-" + std::to_string(end) + " api cudaLaunchKernel" + id;
    text += "S13 " + std::to_string(10000 * i + 100) + "-" + std::to_string(10000 * i + 10000) +
            " kernel k" + id;
    host = end + 1;
  }
  return text;
}

TEST_CASE("whichever command finishes makes room in a full queue") {
  const GraphOf g(LaunchesBesideALongKernel());
  CHECK(g.graph().queue_depth == 19);
  CHECK(g.graph().queue_kind == QueueKind::kContext);
  const TaskId last = g.Task("call 61");
  CHECK(Simulate(g.graph()).finish_by[last] == Binding{g.Task("op 42"), Rule::kLaunchQueue});
  // The long kernel holds a place for as long as it runs, and nobody waits for it.
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  CHECK(halved.finish_by[last] == Binding{g.Task("op 42"), Rule::kLaunchQueue});
  CHECK(halved.finish[last] < SimTime::At(300000));
}

TEST_CASE("a host that stops by itself at a number tells nothing about the queue") {
  std::string text;
  TimeNs host = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string id = " #" + std::to_string(i + 1) + "\n";
    text += "T1 " + std::to_string(host) + "-" + std::to_string(host + 3000) +
            " api cudaLaunchKernel" + id;
    text += "S7 " + std::to_string(10000 * i + 3100) + "-" + std::to_string(10000 * i + 13000) +
            " kernel k" + id;
    // From the 20th on it sleeps between launches.
    host += i < 20 ? 3001 : 10000;
  }
  CHECK(GraphOf(text).graph().queue_depth == 1021);
}

TEST_CASE("a device clock that is a little late does not make the queue deeper") {
  std::string text;
  TimeNs host = 0;
  for (int i = 0; i < 1030; ++i) {
    const std::string id = " #" + std::to_string(i + 1) + "\n";
    // From the 1022nd on, each launch returns when its place comes free: 1 ns before, by the
    // device's clock.
    const TimeNs end = i < 1022 ? host + 1 : 10000 * (i - 1022) + 9999;
    text += "T1 " + std::to_string(host) + "-" + std::to_string(end) + " api cudaLaunchKernel" + id;
    text += "S7 " + std::to_string(10000 * i + 100) + "-" + std::to_string(10000 * i + 10000) +
            " kernel k" + id;
    host = end + 1;
  }
  const GraphOf g(text);
  CHECK(g.graph().queue_depth == 1021);
}

TEST_CASE("ranks of a collective wait for the last, also after an edit") {
  const GraphOf g(R"(
    P1.T1      0-10        api cudaLaunchKernel #1
    P2.T1      0-500       api cudaLaunchKernel #2
    P2.T1      600-700     api cudaLaunchKernel #3
    P2.D1.S7   1000-50000  kernel gemm #2
    P1.S7      20-61000    kernel ncclDevKernel_AllReduce #1
    P2.D1.S7   51000-61000 kernel ncclDevKernel_AllReduce #3)");
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  const SimTime end = halved.finish[g.Task("op 1")];
  CHECK(end == halved.finish[g.Task("op 3")]);
  CHECK(end < SimTime::At(35000));
  CHECK(halved.finish_by[g.Task("op 1")] == Binding{g.Task("op 3"), Rule::kCollective});
}

TEST_CASE("a sound graph has no faults, and its edges hold") {
  const GraphOf g(kDeviceBound);
  const Verification check = Verify(g.graph(), Simulate(g.graph()), g.answers());
  CHECK(check.faults.empty());
  CHECK(check.violations.empty());
  CHECK(check.edges[IndexOf(Rule::kSubmit)] == 3);
  CHECK(check.edges[IndexOf(Rule::kStreamOrder)] == 2);
}

TEST_CASE("an edge that the measured times break is listed with its size") {
  const GraphOf g(R"(
    T1 5000-6000 api cudaLaunchKernel #1
    S7 1000-9000 kernel a #1)");
  const Verification check = Verify(g.graph(), Simulate(g.graph()), g.answers());
  REQUIRE(check.violations.size() == 1);
  CHECK(check.violations[0].rule == Rule::kSubmit);
  CHECK(check.violations[0].by == 4000);
}

TEST_CASE("an empty trace makes an empty graph") {
  const GraphOf g("T1 0-10 osrt read");
  CHECK(g.graph().task_count() == 0);
  CHECK(Simulate(g.graph()).begin.empty());
  CHECK(GpuSpanOf(g.graph(), Simulate(g.graph())).empty());
}

}  // namespace
}  // namespace xsp
