#include "sim/diagnosis/step_kinds.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/builder.h"
#include "graph/simulation/scheduler.h"
#include "sim/models/batch_curve.h"
#include "tests/support/timeline.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::MakeTrace;
using test::TextWorkbench;

std::string Time(long from, long to) { return std::to_string(from) + "-" + std::to_string(to); }

// Decode steps of two ranks, 1000 us each: 100 us of scheduling on one, 200 us on the other, then a
// kernel on the rank's own GPU: the second schedules while the first one's GPU works already.
std::string TwoRanks(int count) {
  std::string text;
  int id = 1;
  for (long step = 0; step < count; ++step) {
    for (int rank = 1; rank <= 2; ++rank, ++id) {
      const long at = step * 1'000'000;
      const long ready = at + rank * 100'000;
      const std::string p = "P" + std::to_string(rank) + ".";
      text += p + "T1 " + Time(at, at + 990'000) + " push \"step[DECODE bs=8]\"\n";
      text += p + "T1 " + Time(at, ready) + " push scheduler.get_next_batch_to_run\n";
      text += p + "T1 " + Time(ready + 1'000, ready + 2'000) + " api cudaLaunchKernel #" +
              std::to_string(id) + "\n";
      text += p + (rank == 2 ? "D1." : "") + "S7 " + Time(ready + 5'000, at + 980'000) +
              " kernel ncclDevKernel_AllReduce_Sum_f16 #" + std::to_string(id) + "\n";
    }
  }
  return text;
}

StepKindRow OnlyRowOf(const std::string& timeline) {
  const Trace trace = MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  const std::vector<StepKindRow> rows = RowsOfKinds(graph, hierarchy, SimulateGuided(graph));
  REQUIRE(rows.size() == 1);
  return rows.front();
}

// Steps that decode these many requests, 10 us and 2 us for each of them, in ns.
std::string Batches(const std::vector<long>& requests, long per_request = 2'000) {
  std::string text;
  long at = 0;
  int id = 1;
  for (long count : requests) {
    const long ns = 10'000 + per_request * count;
    text += "T1 " + Time(at, at + ns + 4'000) + " push \"step[DECODE bs=" + std::to_string(count) +
            "]\"\n";
    text += "T1 " + Time(at + 500, at + 1'500) + " api cudaLaunchKernel #" + std::to_string(id) +
            "\nS7 " + Time(at + 2'000, at + 2'000 + ns) + " kernel k #" + std::to_string(id) +
            " grid=4000x1x1 block=128x1x1\n";
    text += "T1 " + Time(at + 2'000, at + ns + 3'000) + " api cudaStreamSynchronize #" +
            std::to_string(id + 1) + "\nT1 " + Time(at + 2'000, at + ns + 3'000) +
            " sync stream=7 #" + std::to_string(id + 1) + "\n";
    id += 2;
    at += ns + 4'000;
  }
  return text;
}

TEST_CASE("the host around steps is that of a rank, not of all ranks together") {
  const StepKindRow row = OnlyRowOf(TwoRanks(5));
  CHECK(row.framework == "SGLang");
  CHECK(row.processes == 2);
  REQUIRE(row.host.size() == 1);
  CHECK(row.host[0].what == "schedule");
  CHECK(row.host[0].ns == 150'000);
  // Each rank's own GPU is idle meanwhile, whatever the other one's does.
  CHECK(row.host[0].exposed == 150'000);
}

TEST_CASE("what no framework names around steps is told by call") {
  const StepKindRow row = OnlyRowOf(Batches({8, 8, 8, 8, 8}));
  CHECK(row.host_by_call);
  REQUIRE(row.host.size() == 2);
  CHECK(row.host[0].what == "cudaLaunchKernel");
  CHECK(row.host[0].ns == 1'000);
  CHECK(row.host[1].what == "cudaStreamSynchronize");
  CHECK(row.host[1].ns == 27'000);
  CHECK(row.host[1].exposed == 1'000);
}

TEST_CASE("percentiles are told where there are enough steps for them") {
  const auto row = [](std::size_t count) {
    std::vector<long> requests(count, 8);
    return OnlyRowOf(Batches(requests));
  };
  CHECK(row(19).p50);
  CHECK_FALSE(row(19).p95);
  CHECK(row(21).p95);
  CHECK_FALSE(row(21).p99);
  CHECK(row(101).p99);
}

TEST_CASE("steps with batches of several sizes tell how they grow with tokens") {
  const Trace trace = MakeTrace(Batches({8, 16, 32, 8, 16, 32, 8, 16, 32}));
  const Hierarchy hierarchy(trace);
  const auto curve = FitBatchCurve(hierarchy.steps(), "decode");
  REQUIRE(curve);
  CHECK(curve->least == 8);
  CHECK(curve->most == 32);
  CHECK(curve->ns_per_token == Approx(2'000));
  CHECK(curve->At(64) == Approx(14'000 + 2'000 * 64));
  CHECK_FALSE(FitBatchCurve(hierarchy.steps(), "prefill"));
  // One size has no slope.
  const Trace same = MakeTrace(Batches({8, 8, 8, 8, 8, 8}));
  CHECK_FALSE(FitBatchCurve(Hierarchy(same).steps(), "decode"));
}

TEST_CASE("a larger batch follows the measured curve where the trace has one") {
  // 18 us of kernel for 8 requests, of which 8 grow: twice as many take 34 + 4 us, not 52.
  const std::string several = Batches({16, 8, 16, 8, 16, 8, 16, 8, 16, 8, 16, 8});
  const TextWorkbench text(several);
  const Forecast forecast = text.Run("--batch=2");
  REQUIRE(forecast.applies);
  CHECK(forecast.work == 2);
  CHECK(static_cast<double>(forecast.forecast) ==
        Approx(static_cast<double>(forecast.measured) + 24'000).epsilon(0.05));
  const auto says = [&](const std::vector<std::string>& list, const std::string& words) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& one) {
      return one.find(words) != std::string::npos;
    });
  };
  CHECK(says(forecast.assumptions, "as 12 steps of 8 to 16 tokens do: by 2.000 us for each"));
  CHECK(says(forecast.cautions, "no decode step with 25 tokens was measured"));
  // Steps of another kind between them change nothing.
  std::string mixed = Batches({16, 1, 8, 1, 16, 1, 8, 1, 16, 1, 8, 1, 16, 1, 8, 1});
  for (std::size_t at = 0; (at = mixed.find("DECODE bs=1]", at)) != mixed.npos; ++at) {
    mixed.replace(at, 11, "EXTEND bs=1 toks=1");
  }
  const Forecast decode = TextWorkbench(mixed).Run("--batch=2");
  REQUIRE(decode.applies);
  CHECK(says(decode.assumptions, "a decode step grows"));
  CHECK(static_cast<double>(decode.forecast) ==
        Approx(static_cast<double>(decode.measured) + 24'000).epsilon(0.05));
  CHECK_FALSE(says(TextWorkbench(Batches({8, 8, 8, 8, 8})).Run("--batch=2").assumptions, "tokens"));
}

}  // namespace
}  // namespace xsp
