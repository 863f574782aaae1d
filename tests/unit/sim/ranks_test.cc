#include "sim/edit/ranks.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/verify.h"
#include "sim/edit/edit.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/sim/edited_text.h"

namespace xsp {
namespace {

using test::FaultsOf;
using test::GraphOf;
using test::TimesOf;

// One rank with two streams, an event, copies and a sync; another process beside it.
constexpr std::string_view kOneRank = R"(
    P1.T1 0-1000       api cudaMemcpyAsync #1
    P1.S8 2000-20000   memcpy HtoD #1 bytes=4000000 src=pinned dst=device flag=nonblocking
    P1.T1 1100-1200    api cudaEventRecord #2
    P1.T1              record stream=8 event=3 #2
    P1.T1 1300-1400    api cudaStreamWaitEvent #3
    P1.T1 1300-1400    wait stream=7 event=3 #3
    P1.T1 2000-3000    api cudaLaunchKernel #4
    P1.S7 21000-60000  kernel a #4
    P1.T1 4000-64000   api cudaDeviceSynchronize #5
    P1.T1 4000-64000   sync context #5
    P2.T9 0-1000       api cudaLaunchKernel #6
    P2.D1.S7 2000-9000 kernel b #6)";

std::string Faults(const TaskGraph& graph) {
  Answers answers;
  const Schedule replay = Simulate(graph, {}, &answers);
  std::string text;
  for (const std::string& fault : Verify(graph, replay, answers).faults) text += fault + "\n";
  return text;
}

TEST_CASE("copies of a process run beside it, each on its own streams and engines") {
  const GraphOf g(kOneRank);
  const AddedRanks ranks = AddRanks(g.graph(), g.graph().threads[0].process, 2);
  CHECK(Faults(ranks.graph).empty());
  CHECK("\n" + TimesOf(ranks.graph, Simulate(ranks.graph)) == R"(
T1: call 1 0-1 | call 2 1.1-1.2 | call 3 1.3-1.4 | call 4 2-3 | call 5 4-64.2
T9: call 6 0-1
T1 copy 1: call 1 0-1 | call 2 1.1-1.2 | call 3 1.3-1.4 | call 4 2-3 | call 5 4-64.2
T1 copy 2: call 1 0-1 | call 2 1.1-1.2 | call 3 1.3-1.4 | call 4 2-3 | call 5 4-64.2
S7: op 4 21.2-60.2
S8: op 1 2.2-20.2
S7: op 6 2.2-9.2
S7 copy 1: op 4 21.2-60.2
S8 copy 1: op 1 2.2-20.2
S7 copy 2: op 4 21.2-60.2
S8 copy 2: op 1 2.2-20.2
)");
  CHECK(ranks.graph.devices.size() == g.graph().devices.size() + 2);
  CHECK(ranks.graph.OriginOf(ranks.Of(g.Task("op 4"), 2)) == g.Task("op 4"));
  CHECK(ranks.Of(g.Task("call 6"), 0) == g.Task("call 6"));
  CHECK_FALSE(ranks.Of(g.Task("call 6"), 1).valid());
  CHECK(ranks.graph.threads[g.graph().threads.size()].process != g.graph().threads[0].process);
}

TEST_CASE("copies of a rank meet in a collective that is put in") {
  const GraphOf g(kOneRank);
  const AddedRanks ranks = AddRanks(g.graph(), g.graph().threads[0].process, 1);
  GraphEdit edit(ranks.graph);
  // The copy computes longer.
  edit.SetOwn(ranks.Of(g.Task("op 4"), 1), 100000);
  std::vector<TaskId> members;
  for (std::uint32_t rank = 0; rank <= 1; ++rank) {
    const std::uint32_t stream = ranks.graph.lane[ranks.Of(g.Task("op 4"), rank)];
    const TaskId call =
        edit.InsertAfter(ranks.Of(g.Task("call 4"), rank), {"cudaLaunchKernel", 1000, 0, {}});
    members.push_back(edit.Issue(call, {"all-reduce", 5000, stream}));
  }
  edit.AddCollective(members);
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | call 2 1.1-1.2 | call 3 1.3-1.4 | call 4 2-3 | 'cudaLaunchKernel' 3-4 | call 5 5-131.2
T9: call 6 0-1
T1 copy 1: call 1 0-1 | call 2 1.1-1.2 | call 3 1.3-1.4 | call 4 2-3 | 'cudaLaunchKernel' 3-4 | call 5 5-131.2
S7: op 4 21.2-60.2 | 'all-reduce' 61.2-127.2
S8: op 1 2.2-20.2
S7: op 6 2.2-9.2
S7 copy 1: op 4 21.2-121.2 | 'all-reduce' 122.2-127.2
S8 copy 1: op 1 2.2-20.2
)");
}

TEST_CASE("where a rank takes part in a collective, so do its copies") {
  const GraphOf g(R"(
    P1.T1      0-10        api cudaLaunchKernel #1
    P2.T1      0-500       api cudaLaunchKernel #2
    P2.T1      600-700     api cudaLaunchKernel #3
    P2.D1.S7   1000-50000  kernel gemm #2
    P1.S7      20-61000    kernel ncclDevKernel_AllReduce #1
    P2.D1.S7   51000-61000 kernel ncclDevKernel_AllReduce #3)");
  REQUIRE(g.graph().collectives.size() == 1);
  const AddedRanks ranks = AddRanks(g.graph(), g.graph().threads[1].process, 2);
  CHECK(Faults(ranks.graph).empty());
  REQUIRE(ranks.graph.collectives.size() == 1);
  CHECK(ranks.graph.collectives[0].size() == 4);
  const Schedule schedule = Simulate(ranks.graph);
  const SimTime end = schedule.finish[ranks.Of(g.Task("op 1"), 0)];
  for (std::uint32_t rank = 0; rank <= 2; ++rank) {
    CHECK(schedule.finish[ranks.Of(g.Task("op 3"), rank)] == end);
  }
}

}  // namespace
}  // namespace xsp
