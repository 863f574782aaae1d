#include "sim/edit/edit.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/bake.h"
#include "graph/readings/replay.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/sim/edited_text.h"

namespace xsp {
namespace {

using test::FaultsOf;
using test::GraphOf;
using test::TimesOf;

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

std::uint32_t StreamOf(const GraphOf& g, std::string_view op) { return g.graph().lane[g.Task(op)]; }

TEST_CASE("an edit that changes costs only is an overlay") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.SetOwn(g.Task("op 1"), 50000);
  edit.SetGap(g.Task("call 3"), 9000);
  const EditedGraph edited = edit.Build();
  CHECK(&edited.graph() == &g.graph());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 2-3 | call 3 12-13 | call 4 14-256.2
S7: op 1 2.2-52.2 | op 2 53.2-152.2 | op 3 153.2-252.2
)");
  const TaskGraph whole = edited.Whole();
  CHECK("\n" + TimesOf(whole, Simulate(whole)) == TimesOf(edited));
}

TEST_CASE("nothing changed: the new graph replays as the old one") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.AddStream(StreamOf(g, "op 1"), "side");
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == "\n" + TimesOf(g.graph(), Simulate(g.graph())));
}

TEST_CASE("a removed call issues nothing, and takes its place in no wait") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.RemoveCall(g.Task("call 3"));
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 2-3 | call 4 5-204.2
S7: op 1 2.2-100.2 | op 2 101.2-200.2
)");
  CHECK_FALSE(edited.PlaceOf(g.Task("op 3")).valid());
  CHECK(edited.graph().OriginOf(edited.PlaceOf(g.Task("call 4"))) == g.Task("call 4"));
}

TEST_CASE("removed work leaves its call") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.RemoveWork(g.Task("op 2"));
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | call 2 2-3 | call 3 4-5 | call 4 6-204.2
S7: op 1 2.2-100.2 | op 3 101.2-200.2
)");
}

TEST_CASE("the first call of a thread is removed: the next one begins as much sooner") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.RemoveCall(g.Task("call 1"));
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 2 1-2 | call 3 3-4 | call 4 5-206.2
S7: op 2 3.2-102.2 | op 3 103.2-202.2
)");
}

TEST_CASE("an inserted launch finds its place on thread and stream, and the sync waits for it") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const TaskId call = edit.InsertAfter(g.Task("call 3"), {"cudaLaunchKernel", 1000, 500, {}});
  const TaskId op = edit.Issue(call, {"cast", 50000, StreamOf(g, "op 3")});
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 2-3 | call 3 4-5 | 'cudaLaunchKernel' 5.5-6.5 | call 4 7.5-355.2
S7: op 1 2.2-100.2 | op 2 101.2-200.2 | op 3 201.2-300.2 | 'cast' 301.2-351.2
)");
  const TaskGraph& graph = edited.graph();
  const TaskId place = edited.PlaceOf(op);
  CHECK(graph.IsNew(place));
  CHECK_FALSE(graph.OriginOf(place).valid());
  CHECK(graph.measured_begin[edited.PlaceOf(call)] == 5000);
  CHECK(graph.measured_begin[place] == 300000);
}

TEST_CASE("what is put in comes in the order of putting") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const TaskId a = edit.InsertAfter(g.Task("call 1"), {"a", 100, 0, {}});
  edit.InsertAfter(g.Task("call 1"), {"b", 100, 0, {}});
  edit.InsertAfter(a, {"behind a", 100, 0, {}});
  edit.InsertBefore(g.Task("call 2"), {"before 2", 100, 0, {}});
  edit.InsertBefore(a, {"before a", 100, 0, {}});
  edit.Append(0, {"end", 100, 0, {}});
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | 'before a' 1-1.1 | 'a' 1.1-1.2 | 'behind a' 1.2-1.3 | 'b' 1.3-1.4 | 'before 2' 2.4-2.5 | call 2 2.5-3.5 | call 3 4.5-5.5 | call 4 6.5-304.2 | 'end' 304.2-304.3
S7: op 1 2.2-100.2 | op 2 101.2-200.2 | op 3 201.2-300.2
)");
}

TEST_CASE("work moves to a new stream, and a sync of the context still waits for it") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const std::uint32_t side = edit.AddStream(StreamOf(g, "op 2"), "side");
  edit.MoveToStream(g.Task("op 2"), side);
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 2-3 | call 3 4-5 | call 4 6-204.2
S7: op 1 2.2-100.2 | op 3 101.2-200.2
side: op 2 4.2-103.2
)");
}

TEST_CASE("a new record and a new wait order two streams") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const std::uint32_t side = edit.AddStream(StreamOf(g, "op 2"), "side");
  edit.MoveToStream(g.Task("op 2"), side);
  const std::uint32_t record = edit.AddRecord(StreamOf(g, "op 1"));
  const TaskId made = edit.InsertAfter(g.Task("call 1"),
                                       {"cudaEventRecord", 100, 0, GraphEdit::MakeRecord(record)});
  edit.InsertAfter(made, {"cudaStreamWaitEvent", 100, 0, edit.StreamWaitFor(side, record)});
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | 'cudaEventRecord' 1-1.1 | 'cudaStreamWaitEvent' 1.1-1.2 | call 2 2.2-3.2 | call 3 4.2-5.2 | call 4 6.2-204.2
S7: op 1 2.2-100.2 | op 3 101.2-200.2
side: op 2 101.2-200.2
)");
}

TEST_CASE("an inserted sync waits for what was issued before it, and returns as others do") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  edit.InsertAfter(g.Task("call 2"),
                   {"cudaStreamSynchronize", 1000, 0, edit.WaitForStream(StreamOf(g, "op 2"))});
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | call 2 2-3 | 'cudaStreamSynchronize' 3-204.2 | call 3 205.2-206.2 | call 4 207.2-310.4
S7: op 1 2.2-100.2 | op 2 101.2-200.2 | op 3 207.4-306.4
)");
}

TEST_CASE("a blocking copy becomes asynchronous, and an inserted copy queues on its engine") {
  const GraphOf g(R"(
    T1 0-61000      api cudaMemcpy #1
    S7 5000-60000   memcpy HtoD #1 bytes=4000000 src=pageable dst=device
    T1 62000-63000  api cudaLaunchKernel #2
    S7 64000-90000  kernel a #2)");
  GraphEdit edit(g.graph());
  edit.MakeAsync(g.Task("call 1"));
  edit.SetOwn(g.Task("call 1"), 2000);
  const std::uint32_t side = edit.AddStream(StreamOf(g, "op 1"), "side");
  const TaskId call = edit.InsertAfter(g.Task("call 1"), {"cudaMemcpyAsync", 1000, 0, {}});
  edit.Issue(call, {"prefetch", 20000, side, OpClass::kHtoD});
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-2 | 'cudaMemcpyAsync' 2-3 | call 2 4-5
S7: op 1 3.2-58.2 | op 2 59.2-85.2
side: 'prefetch' 59.2-79.2
)");
}

TEST_CASE("launches become one launch of a CUDA graph") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const TaskId launch = edit.InsertBefore(g.Task("call 1"), {"cudaGraphLaunch", 5000, 0, {}});
  for (const char* id : {"1", "2", "3"}) {
    edit.MoveToCall(g.Task(std::string("op ") + id), launch);
    edit.RemoveCall(g.Task(std::string("call ") + id));
  }
  edit.MakeGraphLaunch(launch);
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: 'cudaGraphLaunch' 0-5 | call 4 8-308.2
S7: op 1 6.2-104.2 | op 2 105.2-204.2 | op 3 205.2-304.2
)");
}

TEST_CASE("a new thread takes over work, and the old one waits for it") {
  const GraphOf g(kDeviceBound);
  GraphEdit edit(g.graph());
  const std::uint32_t worker =
      edit.AddThread(g.graph().threads[0].process, "loader", g.graph().threads[0].start);
  const TaskId load = edit.Append(worker, {"load", 3000, 0, {}, TaskKind::kLoad});
  const TaskId next = edit.Append(worker, {"load", 3000, 0, {}, TaskKind::kLoad});
  edit.AddHandoff(g.Task("call 2"), load, 500);
  edit.AddHandoff(g.Task("call 3"), next, 500);
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 3.5-4.5 | call 3 6.5-7.5 | call 4 8.5-304.2
loader: 'load' 0-3 | 'load' 3-6
S7: op 1 2.2-100.2 | op 2 101.2-200.2 | op 3 201.2-300.2
)");
}

TEST_CASE("new collectives join work of two ranks") {
  const GraphOf g(R"(
    P1.T1      0-1000      api cudaLaunchKernel #1
    P2.T1      0-1000      api cudaLaunchKernel #2
    P1.S7      2000-10000  kernel gemm #1
    P2.D1.S7   2000-50000  kernel gemm #2)");
  GraphEdit edit(g.graph());
  std::vector<TaskId> members;
  for (const char* id : {"1", "2"}) {
    const TaskId call =
        edit.InsertAfter(g.Task(std::string("call ") + id), {"cudaLaunchKernel", 1000, 0, {}});
    members.push_back(
        edit.Issue(call, {"ncclAllReduce", 5000, StreamOf(g, std::string("op ") + id)}));
  }
  edit.AddCollective(members);
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | 'cudaLaunchKernel' 1-2
T1: call 2 0-1 | 'cudaLaunchKernel' 1-2
S7: op 1 2.2-10.2 | 'ncclAllReduce' 11.2-56.2
S7: op 2 2.2-50.2 | 'ncclAllReduce' 51.2-56.2
)");
}

TEST_CASE("an edit of an edit keeps the origin of tasks and the names of what was put in") {
  const GraphOf g(kDeviceBound);
  GraphEdit first(g.graph());
  first.RemoveCall(g.Task("call 1"));
  const TaskId call = first.InsertAfter(g.Task("call 2"), {"a", 1000, 0, {}});
  const EditedGraph once = first.Build();
  GraphEdit second(once.graph());
  second.InsertBefore(once.PlaceOf(call), {"b", 1000, 0, {}});
  second.RemoveCall(once.PlaceOf(g.Task("call 3")));
  const EditedGraph twice = second.Build();
  CHECK(FaultsOf(twice).empty());
  CHECK(TimesOf(twice) == R"(
T1: call 2 1-2 | 'b' 2-3 | 'a' 3-4 | call 4 6-106.2
S7: op 2 3.2-102.2
)");
  CHECK(twice.graph().OriginOf(twice.PlaceOf(once.PlaceOf(g.Task("call 4")))) == g.Task("call 4"));
}

TEST_CASE("a hand-off outlives the calls at its ends") {
  const GraphOf g(R"(
    T1 0-1000       api cudaLaunchKernel #1
    T1 2000-100000  api cudaStreamIsCapturing #2
    T2 0-10         api cudaMalloc #3
    T2 103000-104000 api cudaLaunchKernel #4
    T2 105000-106000 api cudaLaunchKernel #5
    T1 300000-301000 api cudaLaunchKernel #6
    S7 2000-3000    kernel a #1
    S7 105000-106000 kernel b #4
    S7 107000-108000 kernel c #5
    S7 302000-303000 kernel d #6)");
  REQUIRE(g.Edges(Rule::kThreadHandoff) == "call 2 -> call 4");
  GraphEdit edit(g.graph());
  edit.RemoveCall(g.Task("call 2"));
  edit.RemoveCall(g.Task("call 4"));
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 6 202-203
T2: call 3 0-0 | call 5 6-7
S7: op 1 2-3 | op 6 204-205 | op 5 8-9
)");
}

TEST_CASE("an allocation that goes takes its stall of the device with it") {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::string us = std::to_string(i);
    text +=
        "T1 " + us + "000000-" + us + "010000 api cudaMalloc #" + std::to_string(2 * i + 1) + "\n";
    text += "T1 " + us + "010000-" + us + "015000 api cudaLaunchKernel #" +
            std::to_string(2 * i + 2) + "\n";
    text += "S7 " + us + "135000-" + us + "200000 kernel k #" + std::to_string(2 * i + 2) + "\n";
  }
  const GraphOf g(text);
  REQUIRE(g.Edges(Rule::kDeviceStall).find("call 7 -> op 8") != std::string::npos);
  GraphEdit edit(g.graph());
  edit.RemoveCall(g.Task("call 7"));
  const EditedGraph edited = edit.Build();
  const TaskId op = edited.PlaceOf(g.Task("op 8"));
  CHECK(edited.Simulate().begin_by[op].rule == Rule::kSubmit);
}

}  // namespace
}  // namespace xsp
