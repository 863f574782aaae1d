// Ranks that wait for each other in MPI.
#include <string>

#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

constexpr int64_t kTransfer = 18'000;

// Every rank has a GPU and a kernel of its own, each longer than the one before: "solve_0".
class Rank {
 public:
  Rank(Scenario& scenario, int32_t number)
      : thread_(scenario, number),
        kernel_(thread_.Kernel("solve_" + std::to_string(number), 90 + 45 * number, 54)) {
    thread_.program().AddDomain(thread_.process(), "MPI");
    script().Malloc(thread_.context(), 1 << 20, false);
  }

  samples::Script& script() { return thread_.script(); }
  void Launch() { script().Launch(kernel_, thread_.default_stream()); }
  void Sync() { script().StreamSync(thread_.default_stream()); }
  void End() { script().DeviceSync(thread_.context()); }

 private:
  OneThread thread_;
  int32_t kernel_;
};

// All compute, and meet.
Scenario Meetings(int32_t ranks, bool tables) {
  Scenario scenario;
  scenario.options.mpi_tables = tables;
  const int32_t group = scenario.program.AddMpiGroup(ranks);
  for (int32_t i = 0; i < ranks; ++i) {
    Rank rank(scenario, i);
    rank.script().MpiCollective("MPI_Barrier", group, kTransfer);
    rank.script().Loop(200);
    rank.script().Work(25'000);
    rank.Launch();
    rank.Sync();
    rank.script().MpiCollective("MPI_Allreduce", group, kTransfer);
    rank.script().EndLoop();
    rank.End();
  }
  return scenario;
}

// A message goes round: each computes when it has it, and passes it on.
Scenario Ring(int32_t ranks) {
  Scenario scenario;
  const int32_t group = scenario.program.AddMpiGroup(ranks);
  for (int32_t i = 0; i < ranks; ++i) {
    Rank rank(scenario, i);
    rank.script().MpiCollective("MPI_Barrier", group, kTransfer);
    rank.script().Loop(100);
    rank.script().Work(12'000);
    if (i > 0) rank.script().MpiReceive(i - 1, 7);
    rank.Launch();
    rank.Sync();
    rank.script().MpiSend((i + 1) % ranks, 7, kTransfer);
    if (i == 0) rank.script().MpiReceive(ranks - 1, 7);
    rank.script().EndLoop();
    rank.End();
  }
  return scenario;
}

// Each asks for its neighbour's border, computes inside, and waits for the border then.
Scenario Borders() {
  Scenario scenario;
  const int32_t group = scenario.program.AddMpiGroup(2);
  for (int32_t i = 0; i < 2; ++i) {
    Rank rank(scenario, i);
    rank.script().MpiCollective("MPI_Barrier", group, kTransfer);
    rank.script().Loop(200);
    rank.script().MpiPostReceive(1 - i, 3);
    rank.Launch();
    rank.Sync();
    rank.script().MpiSend(1 - i, 3, kTransfer);
    rank.script().Work(20'000);
    rank.script().MpiAwait();
    rank.script().EndLoop();
    rank.End();
  }
  return scenario;
}

std::function<Scenario()> Meeting(int32_t ranks, bool tables = true) {
  return [=] { return Meetings(ranks, tables); };
}

}  // namespace

std::vector<ProofCase> MpiCases() {
  const auto ring = [] { return Ring(3); };
  return {
      {"MPI: the slow rank twice as fast", "3 ranks meet in MPI_Allreduce", "slow rank × 0.5",
       Meeting(3), Kernels("solve_2", 500), GraphKernels("solve_2", 0.5)},
      {"MPI: a fast rank three times as slow", "3 ranks meet in MPI_Allreduce", "fast rank × 3",
       Meeting(3), Kernels("solve_0", 3'000), GraphKernels("solve_0", 3)},
      {"MPI as ranges: kernels twice as fast", "2 ranks meet, MPI as NVTX ranges", "kernels × 0.5",
       Meeting(2, false), Kernels("", 500), GraphKernels("", 0.5)},
      {"MPI: a message that goes round", "3 ranks pass a message round", "one rank × 0.25", ring,
       Kernels("solve_1", 250), GraphKernels("solve_1", 0.25)},
      {"MPI: a message that goes round, all faster", "3 ranks pass a message round",
       "kernels × 0.5", ring, Kernels("", 500), GraphKernels("", 0.5)},
      {"MPI: borders of two neighbours", "2 ranks exchange borders, MPI_Irecv and MPI_Wait",
       "slow rank × 0.5", Borders, Kernels("solve_1", 500), GraphKernels("solve_1", 0.5)},
      {"MPI: borders of two neighbours, the other slow",
       "2 ranks exchange borders, MPI_Irecv and MPI_Wait", "fast rank × 4", Borders,
       Kernels("solve_0", 4'000), GraphKernels("solve_0", 4)},
  };
}

}  // namespace xsp::proof
