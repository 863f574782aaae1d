#include "graph/readings/device_work.h"

#include <catch2/catch.hpp>

#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "tests/unit/graph/edges_text.h"

namespace xsp {
namespace {

using test::GraphOf;

// "gemm 10000, ..." of the first device.
std::string RowsOf(const GraphOf& g, const std::vector<TimeRange>& times,
                   const EventMask* launched = nullptr) {
  const std::vector<WorkPiece> pieces = WorkIn(*g.graph().trace, times, launched);
  const std::vector<DeviceWork> work = SumWork(g.graph(), pieces, SpanUnit(g.graph()));
  std::string text;
  for (const WorkRow& row : work.front().rows) {
    text += (text.empty() ? "" : ", ") + row.what + " " + std::to_string(row.ns) + "/" +
            std::to_string(row.count);
  }
  return text;
}

IdleReport IdleIn(const GraphOf& g, const std::vector<TimeRange>& times) {
  return FindIdle(g.graph(), SimulateGuided(g.graph()), times);
}

// Pages move while the host reads what the kernel wrote.
constexpr std::string_view kMigrations = R"(
    T1 0-1000       api cudaLaunchKernel #1
    S7 2000-10000   kernel ampere_sgemm_128x64_tn #1
    M 50000-60000   migration DtoH bytes=4096
    M 80000-85000   migration DtoH bytes=4096)";

TEST_CASE("migrations belong to the GPU span, to busy time and to device work") {
  const GraphOf g(kMigrations);
  const Unit unit = SpanUnit(g.graph());
  CHECK(unit.time == TimeRange{2000, 85000});
  CHECK(MeasuredGpuSpan(g.graph()).Length() == 83000);
  const IdleReport idle = IdleIn(g, MeasuredTimes({}, unit));
  REQUIRE(idle.devices.size() == 1);
  CHECK(idle.devices[0].busy == 8000 + 10000 + 5000);
  CHECK(idle.devices[0].idle == 40000 + 20000);
  CHECK(RowsOf(g, MeasuredTimes({}, unit)) == "migrations: DtoH 15000/2, kernels: gemm 8000/1");
}

TEST_CASE("migrations keep their distance to the operations in a simulation") {
  const GraphOf g(kMigrations);
  const Unit unit = SpanUnit(g.graph());
  const ReplayError replay = CompareReplay(g.graph(), Simulate(g.graph()), {});
  CHECK(replay.measured == 83000);
  CHECK(replay.simulated == 83000);
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  CHECK(LengthOf(unit, SpansOf(g.graph(), halved, {}, unit)) == 79000);
}

TEST_CASE("idle and busy times stand row for row beside the work of the same devices") {
  const GraphOf g(R"(
      T1 0-1000       api cudaLaunchKernel #1
      S7 2000-10000   kernel ampere_sgemm_128x64_tn #1
      M 50000-60000   migration DtoH bytes=4096)");
  const std::vector<TimeRange> times = MeasuredTimes({}, SpanUnit(g.graph()));
  const auto work =
      SumWork(g.graph(), WorkIn(*g.graph().trace, times, nullptr), SpanUnit(g.graph()));
  const IdleReport idle = IdleIn(g, times);
  REQUIRE(work.size() == idle.devices.size());
  for (std::size_t i = 0; i < work.size(); ++i) CHECK(work[i].number == idle.devices[i].number);
}

TEST_CASE("device work is told by class and direction and kind of host memory") {
  const GraphOf g(R"(
    T1 0-1000       api cudaMemcpyAsync #1
    S7 2000-5000    memcpy HtoD #1 bytes=4096 src=pageable dst=device
    T1 5000-6000    api cudaMemcpyAsync #2
    S7 7000-9000    memcpy HtoD #2 bytes=1024 src=pinned dst=device
    T1 9000-9500    api cudaMemsetAsync #3
    S7 10000-10500  memset #3 bytes=64
    T1 10000-10500  api cudaGraphLaunch #4
    S7 11000-15000  graph #4)");
  CHECK(RowsOf(g, {{0, 20000}}) ==
        "graph launches 4000/1, copies: HtoD pageable 3000/1, copies: HtoD pinned 2000/1, "
        "memsets 500/1");
}

TEST_CASE("work is cut at the edges of the times that are looked at") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    S7 2000-12000    kernel ampere_sgemm_128x64_tn #1
    T1 12000-13000   api cudaLaunchKernel #2
    S7 20000-30000   kernel layer_norm_kernel #2)");
  CHECK(RowsOf(g, {{7000, 10000}, {25000, 40000}}) == "kernels: norm 5000/0, kernels: gemm 3000/0");
  const IdleReport idle = IdleIn(g, {{7000, 15000}, {25000, 40000}});
  CHECK(idle.length == 23000);
  CHECK(idle.devices[0].busy == 5000 + 5000);
}

TEST_CASE("what was launched elsewhere is told apart") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    S7 2000-12000    kernel ampere_sgemm_128x64_tn #1
    T1 3000-4000     api cudaLaunchKernel #2
    S7 12000-14000   kernel layer_norm_kernel #2)");
  EventMask launched(g.graph().trace->event_count(), 1);
  launched[0] = 0;
  CHECK(RowsOf(g, {{2000, 14000}}, &launched) ==
        "launched elsewhere 10000/1, kernels: norm 2000/1");
}

TEST_CASE("a GPU that two processes share is idle when both leave it idle") {
  const GraphOf g(R"(
    P1.T1 0-1000           api cudaLaunchKernel #1
    P1.S7 2000-10000       kernel a #1
    P2.T2 0-1000           api cudaLaunchKernel #1
    P2.D0.C1.S7 8000-20000 kernel b #1
    P1.T1 30000-31000      api cudaLaunchKernel #2
    P1.S7 32000-40000      kernel c #2)");
  const IdleReport idle = IdleIn(g, MeasuredTimes({}, SpanUnit(g.graph())));
  REQUIRE(idle.devices.size() == 1);
  CHECK(idle.devices[0].idle == 12000);
}

TEST_CASE("a unit of several stretches is their spans together") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    S7 2000-12000    kernel a #1
    T1 40000-41000   api cudaLaunchKernel #2
    S7 42000-50000   kernel b #2
    T1 80000-81000   api cudaLaunchKernel #3
    S7 82000-90000   kernel c #3)");
  const Unit unit = SpanUnit(g.graph(), {{0, 20000}, {60000, 100000}});
  CHECK(unit.measured == 10000 + 8000);
  CHECK(unit.IsInParts(2000));
  CHECK_FALSE(unit.IsInParts(42000));
  CHECK(MeasuredTimes({}, unit).size() == 2);
  CHECK(SpansOf(g.graph(), Simulate(g.graph()), {}, unit).size() == 2);
}

}  // namespace
}  // namespace xsp
