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

// Two ranks that post a message each, compute for a while, and wait for the other's: it needs
// `transfer` in all. The computing differs from round to round.
std::string Halo(DurationNs transfer, bool comes_by_itself) {
  std::string text;
  const auto line = [&](int rank, TimeNs begin, TimeNs end, const std::string& what) {
    text += "P" + std::to_string(rank) + ".T1 " + std::to_string(begin) + "-" +
            std::to_string(end) + " " + what + "\n";
  };
  for (int rank = 1; rank <= 2; ++rank) {
    for (int i = 0; i < 8; ++i) {
      const TimeNs at = 20'000 + 10'000'000 * i;
      const DurationNs work = 200'000 + 40'000 * ((i * 5) % 8);
      line(rank, at - 10'000, at - 5'000, "api cudaGetDevice #" + std::to_string(100 + i));
      line(rank, at, at + 2'000, "push MPI_Irecv domain=MPI");
      line(rank, at + 3'000, at + 5'000, "push MPI_Isend domain=MPI");
      const TimeNs begin = at + 5'000 + work;
      line(rank, begin, comes_by_itself ? at + 3'000 + transfer : begin + transfer,
           "push MPI_Wait domain=MPI");
      line(rank, at + 2'000'000, at + 2'002'000, "push MPI_Wait domain=MPI");  // For its own.
      line(rank, at + 9'000'000, at + 9'005'000, "api cudaLaunchKernel #" + std::to_string(i + 1));
      text += "P" + std::to_string(rank) + ".S7 " + std::to_string(at + 9'010'000) + "-" +
              std::to_string(at + 9'020'000) + " kernel k #" + std::to_string(i + 1) + "\n";
    }
  }
  return text;
}

TEST_CASE("a message that was posted is on its way, unless its data only moves in the wait") {
  const GraphOf by_itself(Halo(1'000'000, true));
  CHECK(WaitsByMpi(by_itself.graph()) == 16);
  const TaskId wait = MpiTask(by_itself.graph(), 225'000, 1'023'000);
  REQUIRE(wait.valid());
  CHECK(by_itself.graph().own[wait] == 2'000);
  CHECK(by_itself.graph().HandoffsTo(wait).front().lag == 1'000'000);
  // However long the rank computed, the wait takes the same: then it does so after a change, too.
  const GraphOf in_call(Halo(600'000, false));
  const TaskId moves = MpiTask(in_call.graph(), 225'000, 825'000);
  REQUIRE(moves.valid());
  CHECK(in_call.graph().own[moves] == 600'000);
}

TEST_CASE("no call of MPI is a timer, however regular") {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    const TimeNs at = 1'000'000 * i, work = 100'000 + 10'000 * (i * 5 % 12);
    const std::string number = " #" + std::to_string(i + 1) + "\n";
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 5'000) +
            " api cudaLaunchKernel" + number;
    text += "S7 " + std::to_string(at + 6'000) + "-" + std::to_string(at + 9'000) + " kernel k" +
            number;
    text += "T1 " + std::to_string(at + work) + "-" + std::to_string(at + 999'000) +
            " mpi MPI_Allreduce\n";
  }
  CHECK(GraphOf(text).graph().timers.empty());
}

}  // namespace
}  // namespace xsp
