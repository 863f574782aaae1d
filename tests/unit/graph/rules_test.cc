#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "graph/readings/replay.h"
#include "tests/unit/graph/edges_text.h"

// One timeline per rule: what goes in, and which edges come out. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

TEST_CASE("program order joins the calls of a thread and keeps the time between them") {
  const GraphOf g(R"(
    T1 0-10  api cudaGetDevice #1
    T1 15-20 api cudaGetDevice #2
    T2 0-5   api cudaGetDevice #3)");
  CHECK(g.Edges(Rule::kProgramOrder) == "call 1 -> call 2");
  CHECK(g.graph().gap[g.Task("call 2")] == 5);
}

TEST_CASE("a call inside another call is part of it") {
  const GraphOf g(R"(
    T1 0-100 api cudaLaunchKernel #1
    T1 10-20 api cuLaunchKernel #2
    S7 200-300 kernel k #2)");
  CHECK(g.graph().host_count() == 1);
  CHECK(g.graph().nested_calls == 1);
  CHECK(g.Edges(Rule::kSubmit) == "call 1 -> op 2");
}

TEST_CASE("threads that only poll are no part of the graph") {
  const GraphOf g(R"(
    T1 0-10  api cudaLaunchKernel #1
    S7 20-30 kernel k #1
    T9 0-5   api cudaEventQuery #2
    T9 8-9   api cudaEventQuery #3)");
  CHECK(g.graph().host_count() == 1);
  CHECK(g.graph().polling_calls == 2);
}

TEST_CASE("work is submitted when its call has done its own work, with one latency for all") {
  const GraphOf g(R"(
    T1 0-5000      api cudaLaunchKernel #1
    S7 6000-7000   kernel k #1
    T1 10000-14000 api cudaLaunchKernel #2
    S7 15000-16000 kernel k #2
    T1 20000-29000 api cudaLaunchKernel #3
    S7 30000-31000 kernel k #3)");
  CHECK(g.Edges(Rule::kSubmit) == "call 1 -> op 1\ncall 2 -> op 2\ncall 3 -> op 3");
  CHECK(g.constant("submit.kernel") == 1000);
  const Schedule replay = Simulate(g.graph());
  CHECK(replay.begin[g.Task("op 3")] == SimTime::At(30000));
}

TEST_CASE("two samples are not enough for a constant: a default stands in") {
  const GraphOf g(R"(
    T1 0-5000      api cudaLaunchKernel #1
    S7 9000-9500   kernel k #1
    T1 10000-14000 api cudaLaunchKernel #2
    S7 18000-19000 kernel k #2)");
  CHECK(g.constant("submit.kernel") == 1200);
}

// A launch each 100 µs, and its kernel, which begins as long after it as `delay` says.
template <class Delay>
std::string LonelyKernels(int count, Delay delay) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int call = i * 100'000;
    const int kernel = call + 5'000 + delay(i);
    const std::string id = " #" + std::to_string(i + 1) + "\n";
    text += "T1 " + std::to_string(call) + "-" + std::to_string(call + 5'000);
    text += " api cudaLaunchKernel" + id;
    text += "S7 " + std::to_string(kernel) + "-" + std::to_string(kernel + 900) + " kernel k" + id;
  }
  return text;
}

TEST_CASE("a device clock that drifts is set right before latencies are learned") {
  const GraphOf g(LonelyKernels(400, [](int i) { return 1'500 + i * 100; }));
  CHECK(std::abs(g.constant("clock_drift_per_s.device0") - 1'000'000) < 10'000);
  CHECK(std::abs(g.constant("submit.kernel") - 1'500) < 100);
}

TEST_CASE("delays that change all at once are no drift of a clock") {
  const GraphOf g(LonelyKernels(400, [](int i) { return i < 200 ? 1'500 : 41'500; }));
  CHECK_THROWS_AS(g.constant("clock_drift_per_s.device0"), std::invalid_argument);
}

TEST_CASE("a broken export whose blocking copy shares its call with a kernel has a graph") {
  const GraphOf g(R"(
    T1 0-5000 api cudaMemcpy #1
    S7 1000-2000 memcpy DtoH #1 bytes=64 src=device dst=pageable
    S7 3000-4000 kernel k #1)");
  CHECK(g.Edges(Rule::kSubmit) == "call 1 -> op 1\ncall 1 -> op 1");
}

TEST_CASE("operations of a stream follow each other, those of others do not") {
  const GraphOf g(R"(
    T1 0-5   api cudaLaunchKernel #1
    T1 6-10  api cudaLaunchKernel #2
    T1 11-15 api cudaLaunchKernel #3
    S8 10-50 kernel a #1 flag=nonblocking
    S8 51-90 kernel b #2
    S9 20-40 kernel c #3 flag=nonblocking)");
  CHECK(g.Edges(Rule::kStreamOrder) == "op 1 -> op 2");
}

TEST_CASE("a kernel that begins before its predecessor has ended is marked, not forbidden") {
  const GraphOf g(R"(
    T1 0-5           api cudaLaunchKernel #1
    T1 6-10          api cudaLaunchKernel #2
    S7 100-90000     kernel a #1
    S7 80000-120000  kernel b #2)");
  CHECK((g.graph().flags[g.Task("op 2")] & kOverlaps) != 0);
}

TEST_CASE("a sync waits for what was issued on its stream before it, and for nothing later") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    T1 6-10        api cudaLaunchKernel #2
    T1 12-60000    api cudaStreamSynchronize #3
    T1 12-60000    sync stream=8 #3
    S8 10-50000    kernel a #1 flag=nonblocking
    S9 20-90000    kernel b #2 flag=nonblocking
    T1 60010-60020 api cudaLaunchKernel #4
    S8 60030-70000 kernel c #4)");
  CHECK(g.Edges(Rule::kHostSync) == "op 1 => call 3");
  const TaskId call = g.Task("call 3");
  CHECK((g.graph().flags[call] & kWaited) != 0);
  CHECK(g.graph().own[call] < 10000);
}

TEST_CASE("a device sync waits for all streams of its context") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    T1 6-10        api cudaLaunchKernel #2
    T1 12-95000    api cudaDeviceSynchronize #3
    T1 12-95000    sync context #3
    S8 10-50000    kernel a #1 flag=nonblocking
    S9 20-90000    kernel b #2 flag=nonblocking)");
  CHECK(g.Edges(Rule::kHostSync) == "op 2 => call 3");
}

TEST_CASE("a call that returned long before what it seems to wait for did not wait for it") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    T1 12-900      api cudaStreamSynchronize #2
    T1 12-900      sync stream=7 #2
    S7 10-90000    kernel a #1)");
  CHECK(g.Edges(Rule::kHostSync).empty());
  CHECK(g.graph().dropped_waits == 1);
}

TEST_CASE("an event sync waits for what came before the record, not before the sync") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    T1 6-8         api cudaEventRecord #2
    T1             record stream=7 event=3 #2
    T1 10-15       api cudaLaunchKernel #3
    T1 20-51000    api cudaEventSynchronize #4
    T1 20-51000    sync event=3 #4
    S7 10-50000    kernel a #1
    S7 50010-90000 kernel b #3)");
  CHECK(g.Edges(Rule::kHostSync) == "op 1 => call 4");
}

TEST_CASE("a stream that waits for an event waits for the work before its record") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    T1 6-8         api cudaEventRecord #2
    T1             record stream=8 event=3 #2
    T1 10-12       api cudaStreamWaitEvent #3
    T1 10-12       wait stream=9 event=3 #3
    T1 13-15       api cudaLaunchKernel #4
    T1 16-18       api cudaLaunchKernel #5
    S8 10-50000    kernel a #1 flag=nonblocking
    S9 50010-60000 kernel b #4 flag=nonblocking
    S9 60010-70000 kernel c #5)");
  CHECK(g.Edges(Rule::kEventWait) == "op 1 -> op 4");
}

TEST_CASE("a stream waits for an event of another GPU, too") {
  const GraphOf g(R"(
    T1 0-5            api cudaLaunchKernel #1
    T1 6-8            api cudaEventRecord #2
    T1                record stream=8 event=3 #2
    T1 10-12          api cudaStreamWaitEvent #3
    T1 10-12          wait stream=9 event=3 device=1 context=2 #3
    T1 13-15          api cudaLaunchKernel #4
    S8 10-50000       kernel a #1 flag=nonblocking
    D1.C2.S9 50010-60000 kernel b #4 flag=nonblocking)");
  CHECK(g.Edges(Rule::kEventWait) == "op 1 -> op 4");
}

TEST_CASE("the default stream and blocking streams wait for each other") {
  const GraphOf g(R"(
    T1 0-5   api cudaLaunchKernel #1
    T1 6-10  api cudaLaunchKernel #2
    T1 11-15 api cudaLaunchKernel #3
    S8 10-50 kernel a #1
    S7 60-70 kernel b #2
    S8 80-90 kernel c #3)");
  CHECK(g.Edges(Rule::kDefaultStream) == "op 1 -> op 2\nop 2 -> op 3");
}

TEST_CASE("streams made non-blocking are not ordered against the default stream") {
  const GraphOf g(R"(
    T1 0-5   api cudaLaunchKernel #1
    T1 6-10  api cudaLaunchKernel #2
    S8 10-50 kernel a #1 flag=nonblocking
    S7 60-70 kernel b #2)");
  CHECK(g.Edges(Rule::kDefaultStream).empty());
}

TEST_CASE(
    "a pageable copy to the host holds its call, an asynchronous one from pinned memory not") {
  const GraphOf g(R"(
    T1 0-20000     api cudaMemcpyAsync #1
    S7 5000-16000  memcpy DtoH #1 bytes=1024 src=device dst=pageable
    T1 30000-31000 api cudaMemcpyAsync #2
    S7 32000-90000 memcpy DtoH #2 bytes=1024 src=device dst=pinned)");
  CHECK(g.Edges(Rule::kBlockingCopy) == "op 1 => call 1");
}

TEST_CASE("a small synchronous copy from pageable memory waits for its stream, then stages") {
  const GraphOf g(R"(
    T1 0-5         api cudaLaunchKernel #1
    S7 10-50000    kernel a #1
    T1 10-54000    api cudaMemcpy #2
    S7 55000-56000 memcpy HtoD #2 bytes=1024 src=pageable dst=device)");
  CHECK(g.Edges(Rule::kBlockingCopy) == "op 1 => call 2");
  CHECK(g.graph().own[g.Task("call 2")] == 4000);
}

TEST_CASE("whether allocations wait is learned from the trace") {
  const std::string launches = R"(
    T1 0-5             api cudaLaunchKernel #1
    S7 10-50000        kernel a #1
    T1 100000-100005   api cudaLaunchKernel #3
    S7 100010-150000   kernel a #3
  )";
  const GraphOf waits(launches +
                      "T1 10-60000 api cudaMalloc #2\nT1 100010-153000 api cudaMalloc #4");
  CHECK(waits.Edges(Rule::kAllocation) == "op 1 => call 2\nop 3 => call 4");
  CHECK(waits.graph().own[waits.Task("call 4")] == 3000);
  const GraphOf runs(launches +
                     "T1 10-20000 api cudaMalloc #2\nT1 100010-103000 api cudaMalloc #4");
  CHECK(runs.Edges(Rule::kAllocation).empty());
}

TEST_CASE("copies of one direction queue for the engine") {
  const GraphOf g(R"(
    T1 0-5       api cudaMemcpyAsync #1
    T1 6-10      api cudaMemcpyAsync #2
    T1 11-15     api cudaMemcpyAsync #3
    S8 20-1000   memcpy HtoD #1 bytes=9 src=pinned dst=device flag=nonblocking
    S9 1010-2000 memcpy HtoD #2 bytes=9 src=pinned dst=device flag=nonblocking
    S10 20-900   memcpy DtoH #3 bytes=9 src=device dst=pinned flag=nonblocking)");
  CHECK(g.Edges(Rule::kCopyEngine) == "op 1 -> op 2");
}

TEST_CASE("a silent thread hangs on the one that worked meanwhile") {
  const GraphOf g(R"(
    T1 0-10         api cudaLaunchKernel #1
    T2 20000-20010  api cudaLaunchKernel #2
    T2 90000-90010  api cudaLaunchKernel #3
    T1 99000-99010  api cudaLaunchKernel #4
    S7 20-30        kernel k #1
    S7 20015-20018  kernel k #2
    S7 90035-90038  kernel k #3
    S7 99015-99018  kernel k #4)");
  CHECK(g.Edges(Rule::kThreadHandoff) == "call 3 -> call 4\ncall 1 -> call 2");
}

TEST_CASE("threads that are silent in turns by chance do not hang on each other") {
  std::string text;
  // Once in four rounds the second one falls silent before the first goes on.
  for (int i = 0; i < 8; ++i) {
    const std::string number = "#" + std::to_string(10 * i + 1),
                      other = "#" + std::to_string(10 * i + 2);
    const int at = 200'000 * i, until = at + (i % 4 == 3 ? 150'000 : 250'000);
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 5'000) +
            " api cudaLaunchKernel " + number + "\n";
    text += "S7 " + std::to_string(at + 6'000) + "-" + std::to_string(at + 7'000) + " kernel k " +
            number + "\n";
    text += "T2 " + std::to_string(at + 100'000) + "-" + std::to_string(until) +
            " api cudaMemGetInfo " + other + "\n";
  }
  const GraphOf g(text);
  CHECK(g.Edges(Rule::kThreadHandoff) == "call 1 -> call 2");  // Its first call.
}

TEST_CASE("a thread that was silent too shortly to have slept hangs on nobody") {
  const GraphOf g(R"(
    T1 0-10        api cudaLaunchKernel #1
    T2 1000-1010   api cudaLaunchKernel #2
    T1 9000-9010   api cudaLaunchKernel #3
    S7 20-30       kernel k #1
    S7 1015-1018   kernel k #2
    S7 9015-9018   kernel k #3)");
  CHECK(g.Edges(Rule::kThreadHandoff) == "call 1 -> call 2");  // Its first call.
}

TEST_CASE("a thread that worked at the same time hangs on nobody") {
  const GraphOf g(R"(
    T1 0-10      api cudaLaunchKernel #1
    T2 5-15      api cudaLaunchKernel #2
    T1 20-1000   api cudaGetDevice #3
    T2 30-1010   api cudaGetDevice #4
    S7 20-30     kernel k #1
    S7 31-38     kernel k #2)");
  CHECK(g.Edges(Rule::kThreadHandoff).empty());
}

TEST_CASE("ranks of a collective end together, when the last has come") {
  const GraphOf g(R"(
    P1.T1      0-10      api cudaLaunchKernel #1
    P2.T1      0-500     api cudaLaunchKernel #2
    P1.S7      20-2000   kernel ncclDevKernel_AllReduce #1
    P2.D1.S7   1000-2010 kernel ncclDevKernel_AllReduce #2)");
  CHECK(g.Edges(Rule::kCollective) == "op 2 |> op 1\nop 1 |> op 2");
  CHECK(g.graph().own[g.Task("op 1")] == 1010);
}

TEST_CASE("operations of one graph launch on several streams keep their order") {
  const GraphOf g(R"(
    T1 0-5    api cudaGraphLaunch #1
    S7 10-20  kernel a #1 node=1
    S8 21-30  kernel b #1 node=2 flag=nonblocking
    S9 21-40  kernel c #1 node=3 flag=nonblocking
    S7 41-50  kernel d #1 node=4)");
  REQUIRE(g.graph().node_orders.size() == 3);
  CHECK(g.graph().measured_begin[g.graph().node_orders[2].from] == 21);
}

TEST_CASE("branches of one graph launch may stand on one stream and what follows waits for both") {
  const GraphOf g(R"(
    T1 0-5      api cudaLaunchKernel #1
    T1 6-9      api cudaGraphLaunch #2
    T1 10-15    api cudaLaunchKernel #3
    S7 10-100000      kernel before #1
    S7 101000-120000  kernel short1 #2 node=1
    S7 101000-300000  kernel long #2 node=2
    S7 121000-130000  kernel short2 #2 node=3
    S7 301000-400000  kernel behind #3)");
  // Operations of call 2 in the order of their begins: short1, long, short2.
  const TaskId first = g.graph().first_op[g.Task("call 2")];
  REQUIRE(g.graph().node_orders.size() == 1);
  CHECK(g.graph().node_orders[0].op == Next(Next(first)));
  CHECK(g.graph().node_orders[0].from == first);
  const Schedule replay = Simulate(g.graph());
  CHECK(replay.begin_by[first].source == g.Task("op 1"));
  CHECK(replay.begin_by[Next(first)].source == g.Task("op 1"));
  CHECK(replay.begin_by[g.Task("op 3")].source == Next(first));
  Overlay overlay;
  overlay.own = g.graph().own;
  overlay.own[Next(first)] = 1;  // The long branch becomes the short one.
  const Schedule edited = Simulate(g.graph(), overlay);
  CHECK(edited.begin_by[g.Task("op 3")].source == Next(Next(first)));
}

TEST_CASE("the latency of an event shows where the waiting stream was busy before, too") {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const auto line = [&](int begin, int end, const std::string& what, int id) {
      const std::string time =
          std::to_string(100000 * i + begin) + "-" + std::to_string(100000 * i + end) + " ";
      const bool is_op = what.find("kernel") == 3;
      text += what.substr(0, 3) + time + what.substr(3) + " #" + std::to_string(10 * i + id) +
              (is_op ? " flag=nonblocking" : "") + "\n";
    };
    line(0, 5, "T1 api cudaLaunchKernel", 1);
    line(6, 8, "T1 api cudaEventRecord", 2);
    text += "T1 record stream=8 event=3 #" + std::to_string(10 * i + 2) + "\n";
    line(9, 10, "T1 api cudaLaunchKernel", 3);
    line(11, 12, "T1 api cudaStreamWaitEvent", 4);
    line(11, 12, "T1 wait stream=9 event=3", 4);
    line(13, 15, "T1 api cudaLaunchKernel", 5);
    line(100, 50000, "S8 kernel long", 1);
    line(100, 30000, "S9 kernel short", 3);
    line(51700, 60000, "S9 kernel waits", 5);
  }
  const GraphOf g(text);
  CHECK(g.constant("event_latency") == 1700);
}

TEST_CASE("operations without a recorded call stand first and in order") {
  const GraphOf g(R"(
    S7 0-100    kernel a
    S7 110-200  kernel b
    T1 50-60    api cudaLaunchKernel #1
    S7 210-300  kernel c #1)");
  CHECK(g.graph().unlinked_ops == 2);
  const Schedule replay = Simulate(g.graph());
  CHECK(GpuSpanOf(g.graph(), replay).begin == SimTime::At(0));
}

TEST_CASE("loading data is a task where a range says so and no call is made") {
  const GraphOf g(R"(
    T1 0-10     api cudaLaunchKernel #1
    S7 20-30    kernel k #1
    T1 20-90    push "DataLoader next"
    T1 100-110  api cudaLaunchKernel #2
    S7 120-130  kernel k #2)");
  REQUIRE(g.graph().host_count() == 3);
  CHECK(g.graph().kind[TaskId(1)] == TaskKind::kLoad);
  CHECK(g.graph().own[TaskId(1)] == 70);
  CHECK(g.graph().gap[TaskId(1)] == 10);
  CHECK(g.graph().gap[TaskId(2)] == 10);
}

}  // namespace
}  // namespace xsp
