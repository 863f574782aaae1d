// Critical path, idle causes, slack and places of graphs that an edit made.
#include <catch2/catch.hpp>
#include <string>

#include "graph/bake.h"
#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "graph/task_places.h"
#include "sim/edit/edit.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/sim/edited_text.h"

namespace xsp {
namespace {

using test::CheckEdges;
using test::CheckSlack;
using test::FindCriticalPath;
using test::GraphOf;
using test::NameIn;

// The host prepares for 40 µs, launches two kernels, waits, and does it once more.
constexpr std::string_view kTurns = R"(
    T1 0-1000        api cudaLaunchKernel #1
    T1 2000-3000     api cudaLaunchKernel #2
    T1 4000-47000    api cudaStreamSynchronize #3
    T1 4000-47000    sync stream=8 #3
    T1 87000-88000   api cudaLaunchKernel #4
    T1 89000-134000  api cudaStreamSynchronize #5
    T1 89000-134000  sync stream=8 #5
    S8 2000-22000    kernel a #1 flag=nonblocking
    S8 23000-43000   kernel b #2
    S8 89000-130000  kernel c #4)";

std::string Micro(DurationNs ns) {
  const std::string whole = std::to_string(ns / 1000);
  return ns % 1000 == 0 ? whole : whole + "." + std::to_string(ns % 1000 / 100);
}

// "kernel op 1 20 | stream_gap op 2 1 | ...": pieces of the path with their lengths in µs.
std::string PathOf(const TaskGraph& graph) {
  const Schedule schedule = Simulate(graph);
  const CriticalPath path = FindCriticalPath(graph, schedule, GpuSpanOf(graph, schedule));
  std::string text;
  DurationNs sum = 0;
  for (const PathSegment& segment : path.segments) {
    text += (text.empty() ? "" : " | ") + std::string(NameOf(segment.kind)) + " " +
            NameIn(graph, segment.task) + " " + Micro(segment.end - segment.begin);
    sum += segment.end - segment.begin;
  }
  CHECK(sum == path.span.Length());
  return text;
}

// "host_gap 40, submit 1.2": what the devices waited for in the simulation, in µs.
std::string IdleOf(const TaskGraph& graph) {
  const Schedule schedule = Simulate(graph);
  const SimSpan span = GpuSpanOf(graph, schedule);
  const TaskGraph retimed = Retime(graph, schedule);
  const IdleReport idle =
      FindIdle(retimed, SimulateGuided(retimed), {{span.begin.ns, span.end.ns}});
  std::string text;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    DurationNs ns = 0;
    for (const DeviceIdle& device : idle.devices) ns += device.Of(cause).ns;
    if (ns > 0) text += (text.empty() ? "" : ", ") + std::string(NameOf(cause)) + " " + Micro(ns);
  }
  return text;
}

TEST_CASE("path and idle causes of the graph before the edits") {
  const GraphOf g(kTurns);
  CHECK("\n" + PathOf(g.graph()) + "\n" == R"(
kernel op 1 20 | stream_gap op 2 1 | kernel op 2 20 | sync_tail call 3 4 | host_gap call 4 40 | launch call 4 1 | submit op 4 1.2 | kernel op 4 41
)");
  CHECK("\n" + IdleOf(g.graph()) + "\n" == R"(
host_gap 40, launch_cost 1, submit 1.2, sync_tail 4, stream_gap 1
)");
}

TEST_CASE("an inserted launch is on the path, and fills an idle gap") {
  const GraphOf g(kTurns);
  GraphEdit edit(g.graph());
  const std::uint32_t stream = g.graph().lane[g.Task("op 1")];
  const TaskId call = edit.InsertAfter(g.Task("call 3"), {"cudaLaunchKernel", 5000, 0, {}});
  edit.Issue(call, {"cast", 60000, stream});
  const EditedGraph edited = edit.Build();
  CHECK("\n" + PathOf(edited.graph()) + "\n" == R"(
kernel op 1 20 | stream_gap op 2 1 | kernel op 2 20 | sync_tail call 3 4 | launch 'cudaLaunchKernel' 5 | submit 'cast' 1.2 | kernel 'cast' 60 | stream_gap op 4 1 | kernel op 4 41
)");
  CHECK("\n" + IdleOf(edited.graph()) + "\n" == R"(
launch_cost 5, submit 1.2, sync_tail 4, stream_gap 2
)");
  CheckEdges(edited.graph());
  CheckSlack(edited.graph());
}

TEST_CASE("a removed sync is on no path, and the host works meanwhile") {
  const GraphOf g(kTurns);
  GraphEdit edit(g.graph());
  edit.RemoveCall(g.Task("call 3"));
  const EditedGraph edited = edit.Build();
  CHECK("\n" + PathOf(edited.graph()) + "\n" == R"(
launch call 2 0.8 | host_gap call 4 41 | launch call 4 1 | submit op 4 1.2 | kernel op 4 41
)");
  CHECK("\n" + IdleOf(edited.graph()) + "\n" == R"(
host_gap 0.8, launch_cost 1, submit 1.2, stream_gap 1
)");
  CheckEdges(edited.graph());
  CheckSlack(edited.graph());
}

TEST_CASE("work on a new stream runs beside the other, and the sync no longer waits for it") {
  const GraphOf g(kTurns);
  GraphEdit edit(g.graph());
  const std::uint32_t stream = g.graph().lane[g.Task("op 1")];
  edit.MoveToStream(g.Task("op 2"), edit.AddStream(stream, "side"));
  const EditedGraph edited = edit.Build();
  CHECK("\n" + PathOf(edited.graph()) + "\n" == R"(
kernel op 1 20 | sync_tail call 3 4 | host_gap call 4 40 | launch call 4 1 | submit op 4 1.2 | kernel op 4 41
)");
  CHECK("\n" + IdleOf(edited.graph()) + "\n" == R"(
host_gap 40, launch_cost 1, submit 1.2, sync_tail 2
)");
  CheckEdges(edited.graph());
  CheckSlack(edited.graph());
}

TEST_CASE("a path reads the costs that an overlay gave") {
  const GraphOf g(R"(
    T1 0-1000       api cudaLaunchKernel #3
    S7 2000-3000    kernel a #3
    T1 4000-61000   api cudaMemcpy #1
    S7 9000-60000   memcpy DtoH #1 bytes=4000000 src=device dst=pageable
    T1 62000-63000  api cudaLaunchKernel #2
    S7 64000-90000  kernel b #2)");
  GraphEdit edit(g.graph());
  edit.SetOwn(g.Task("call 1"), 40000);
  edit.SetOwn(g.Task("op 1"), 10000);
  edit.SetGap(g.Task("call 2"), 20000);
  const TaskGraph whole = edit.Build().Whole();
  CHECK("\n" + PathOf(whole) + "\n" == R"(
host_gap call 1 1.8 | call call 1 40 | submit op 1 1.2 | copy op 1 10 | copy_tail call 1 190 | host_gap call 2 20 | launch call 2 1 | submit op 2 1.2 | kernel op 2 26
)");
  CHECK("\n" + IdleOf(whole) + "\n" == R"(
host_gap 20.8, launch_cost 41, submit 2.4, copy_tail 190
)");
  CheckEdges(whole);
}

TEST_CASE("what is put in belongs to the layer and range of the call that it follows") {
  const GraphOf g(R"(
    T1 0-9000       push "step 1"
    T1 100-4000     push "layer 1"
    T1 5000-8900    push "layer 2"
    T1 1000-2000    api cudaLaunchKernel #1
    T1 6000-7000    api cudaLaunchKernel #2
    S7 3000-4000    kernel a #1
    S7 8000-9000    kernel b #2)");
  GraphEdit edit(g.graph());
  const std::uint32_t stream = g.graph().lane[g.Task("op 1")];
  const TaskId before = edit.InsertBefore(g.Task("call 1"), {"cudaMemsetAsync", 100, 0, {}});
  const TaskId call = edit.InsertAfter(g.Task("call 1"), {"cudaLaunchKernel", 100, 0, {}});
  const TaskId op = edit.Issue(call, {"ampere_sgemm_128x64_tn", 100, stream});
  const TaskId next = edit.InsertAfter(g.Task("call 2"), {"cudaLaunchKernel", 100, 0, {}});
  const EditedGraph edited = edit.Build();
  const TaskPlaces places(edited.graph());
  CHECK(places.Range(edited.PlaceOf(before)) == "layer 1");
  CHECK(places.Range(edited.PlaceOf(call)) == "layer 1");
  CHECK(places.Range(edited.PlaceOf(op)) == "layer 1");
  CHECK(places.Range(edited.PlaceOf(next)) == "layer 2");
  CHECK(places.Class(edited.PlaceOf(op)) == "gemm");
}

TEST_CASE("a part of the time holds what is put in where the call that it follows is") {
  const GraphOf g(kTurns);
  GraphEdit edit(g.graph());
  const std::uint32_t stream = g.graph().lane[g.Task("op 1")];
  const TaskId call = edit.InsertAfter(g.Task("call 4"), {"cudaLaunchKernel", 1000, 0, {}});
  edit.Issue(call, {"cast", 7000, stream});
  const EditedGraph edited = edit.Build();
  const TaskGraph& graph = edited.graph();
  const Schedule schedule = edited.Simulate();
  const Schedule before = Simulate(g.graph());
  CHECK(GpuSpanOf(graph, schedule, {0, 60000}).Length() ==
        GpuSpanOf(g.graph(), before, {0, 60000}).Length());
  CHECK(GpuSpanOf(graph, schedule, {60000, 200000}).Length() ==
        GpuSpanOf(g.graph(), before, {60000, 200000}).Length() + 8000);
  CHECK(MeasuredGpuSpan(graph).Length() == MeasuredGpuSpan(g.graph()).Length());
}

}  // namespace
}  // namespace xsp
