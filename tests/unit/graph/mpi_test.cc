#include <catch2/catch.hpp>

#include "graph/trust/trust.h"
#include "tests/unit/graph/edges_text.h"

// Ranks that wait for each other in MPI. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

// How many hand-offs there are between ranks.
std::size_t WaitsByMpi(const TaskGraph& graph) {
  std::size_t count = 0;
  for (const Handoff& handoff : graph.handoffs) count += handoff.rule == Rule::kMpi ? 1 : 0;
  return count;
}

TaskId MpiTask(const TaskGraph& graph, TimeNs begin, TimeNs end) {
  for (TaskId task : graph.host_tasks()) {
    if (graph.measured_begin[task] == begin && graph.measured_end[task] == end) return task;
  }
  return {};
}

constexpr const char* kTwoRanks = R"(
    P1.T1 0-5000          api cudaLaunchKernel #1
    P1.S7 6000-20000      kernel a #1
    P1.T1 7000-22000      api cudaDeviceSynchronize #2
    P1.T1 7000-22000      sync context #2
    P1.T1 25000-90000     mpi MPI_Allreduce
    P1.T1 95000-99000     api cudaLaunchKernel #3
    P1.S7 100000-101000   kernel a #3
    P2.T1 0-5000          api cudaLaunchKernel #1
    P2.S7 6000-70000      kernel b #1
    P2.T1 7000-72000      api cudaDeviceSynchronize #2
    P2.T1 7000-72000      sync context #2
    P2.T1 80000-90500     mpi MPI_Allreduce
    P2.T1 95000-99000     api cudaLaunchKernel #3
    P2.S7 100000-101000   kernel b #3)";

TEST_CASE("a collective of MPI is over when the last rank has come and the data has moved") {
  const GraphOf g(kTwoRanks);
  const TaskGraph& graph = g.graph();
  CHECK(WaitsByMpi(graph) == 2);
  const TaskId early = MpiTask(graph, 25'000, 90'000);
  REQUIRE(early.valid());
  CHECK(graph.own[early] == 10'000);
  Overlay faster;
  faster.own = graph.own;
  for (TaskId op : graph.ops()) {
    if (graph.measured_begin[op] == 6'000) faster.own[op] /= 2;
  }
  const Schedule after = Simulate(graph, faster);
  // The slow kernel takes 32 µs less, and the early rank is held up by as much less (but for the
  // way back from the sync, for which a default stands in: 4 µs instead of 2).
  CHECK(after.finish[early].ns == 60'000);
}

TEST_CASE("a call of MPI whose other rank was not recorded stays as it was, and that is said") {
  const GraphOf g(R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-20000      kernel a #1
    T1 25000-90000     mpi MPI_Allreduce
    T1 95000-99000     api cudaLaunchKernel #3
    S7 100000-101000   kernel a #3)");
  CHECK(WaitsByMpi(g.graph()) == 0);
  const TaskId call = MpiTask(g.graph(), 25'000, 90'000);
  REQUIRE(call.valid());
  CHECK(g.graph().own[call] == 65'000);
  // From the first kernel to the last, most passes in it.
  const UnitBench bench(g.graph(), {}, SpanUnit(g.graph()));
  CHECK(JudgeTrust(bench, {}).Of(Doubt::kWaits) == Approx(65.0 / 95).epsilon(0.01));
}

TEST_CASE("a receive of MPI waits for the send") {
  const GraphOf g(R"(
    P1.T1 0-5000          api cudaLaunchKernel #1
    P1.S7 6000-20000      kernel a #1
    P1.T1 50000-53000     push MPI_Send domain=MPI
    P1.T1 95000-99000     api cudaLaunchKernel #3
    P1.S7 100000-101000   kernel a #3
    P2.T1 0-5000          api cudaLaunchKernel #1
    P2.S7 6000-7000       kernel b #1
    P2.T1 10000-60000     push MPI_Recv domain=MPI
    P2.T1 95000-99000     api cudaLaunchKernel #3
    P2.S7 100000-101000   kernel b #3)");
  CHECK(WaitsByMpi(g.graph()) == 1);
  const TaskId receive = MpiTask(g.graph(), 10'000, 60'000);
  REQUIRE(receive.valid());
  // 10 µs after the send the message is there; what the call costs then is a default.
  CHECK(g.graph().handoffs.back().lag == 10'000);
  CHECK(g.graph().own[receive] == 2'000);
}

}  // namespace
}  // namespace xsp
