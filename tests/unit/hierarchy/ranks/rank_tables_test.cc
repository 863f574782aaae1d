#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "hierarchy/ranks/make_rank_tables.h"
#include "hierarchy/ranks/odd_ranks.h"
#include "hierarchy/ranks/rank_identity.h"
#include "importers/importer.h"
#include "model/names/rank_pattern.h"
#include "tests/support/real_traces.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// The number behind a key; missing where it is not there.
template <class T>
void Read(std::string_view json, const std::string& key, T& to) {
  const std::size_t at = json.find("\"" + key + "\":");
  if (at != json.npos)
    to = static_cast<T>(std::stoull(std::string(json.substr(at + key.size() + 3))));
}

// What an importer makes of NCCL's payloads: {"comm":77,"bytes":4096,"ranks":4,"rank":3,"peer":1}.
Trace WithCollectives(Trace trace) {
  Collectives rows;
  for (EventId e : trace.OfKind(EventKind::kNvtxPushPop)) {
    const std::string_view json =
        trace.strings().Get(trace.nvtx().json[trace.Row(e, EventKind::kNvtxPushPop)]);
    if (json.empty()) continue;
    Collectives::Row row;
    row.event = e;
    Read(json, "comm", row.communicator);
    Read(json, "bytes", row.bytes);
    Read(json, "ranks", row.ranks);
    Read(json, "rank", row.rank);
    Read(json, "peer", row.peer);
    rows.Add(row);
  }
  TraceTables tables = std::move(trace).Release();
  tables.collectives = std::move(rows);
  for (MpiKind& kind : std::get<MpiCalls>(tables.details).mpi_kind) kind = MpiKind::kCollective;
  return Trace(std::move(tables));
}

std::vector<RankTables> TablesOf(std::string_view timeline) {
  const Trace trace = WithCollectives(test::MakeTrace(timeline));
  return MakeRankTables(Hierarchy(trace));
}

// The causes of a step that are not 0, those that add up first: "compute 40, blocking 10 |
// blocking_communication 10".
std::string BudgetOf(const RankTables& rank, std::int64_t step) {
  std::string adds_up, parts;
  for (const RankBudget& row : rank.budget) {
    if (row.step != step || row.ns == 0) continue;
    std::string& text = row.part_of.empty() ? adds_up : parts;
    text += (text.empty() ? "" : ", ") + row.cause + " " + std::to_string(row.ns);
  }
  return adds_up + (parts.empty() ? "" : " | ") + parts;
}

// Totals of the causes that add up are the steps; those that are part of one are not more than it.
void CheckAddsUp(const RankTables& rank) {
  std::map<std::int64_t, std::int64_t> length, sum, blocking, parts;
  for (const RankStep& step : rank.steps) length[step.step] = step.end_ns - step.begin_ns;
  if (rank.steps.empty()) length[0] = rank.facts.end_ns - rank.facts.begin_ns;
  for (const RankBudget& row : rank.budget) {
    CHECK(row.ns >= 0);
    if (row.part_of.empty()) sum[row.step] += row.ns;
    if (row.cause == "blocking") blocking[row.step] += row.ns;
    if (row.part_of == "blocking") parts[row.step] += row.ns;
  }
  for (const auto& [step, ns] : sum) CHECK(ns == length[step]);
  CHECK(parts == blocking);
  for (const CollectiveInstance& one : rank.collectives) {
    CHECK(one.exposed_ns >= 0);
    CHECK(one.exposed_ns <= one.end_ns - one.begin_ns);
    CHECK(one.blocking_ns >= 0);
    CHECK(one.blocking_ns <= one.end_ns - one.begin_ns);
  }
}

// Three steps of 100 us: a product, an all-reduce on a stream of its own that the activation waits
// for by an event, and a pause of the host.
constexpr std::string_view kTraining = R"(
T1  0-95000        push "step 1"
T1  0-2000         api cudaLaunchKernel #1
S7  5000-40000     kernel gemm #1
T1  3000-4000      api cudaLaunchKernel #2
S8  30000-70000    kernel ncclDevKernel_AllReduce_Sum_f32 #2 flag=nonblocking
T1  5000-5500      api cudaEventRecord #3
T1                 record stream=8 event=3 #3
T1  6000-6500      api cudaStreamWaitEvent #4
T1  6000-6500      wait stream=7 event=3 #4
T1  8000-9000      api cudaLaunchKernel #5
S7  72000-80000    kernel relu #5
T1  88000-90000    api cudaLaunchKernel #6
S7  93000-94000    kernel relu #6
T1  100000-195000  push "step 2"
T1  100000-102000  api cudaLaunchKernel #11
S7  105000-140000  kernel gemm #11
T1  103000-104000  api cudaLaunchKernel #12
S8  130000-170000  kernel ncclDevKernel_AllReduce_Sum_f32 #12 flag=nonblocking
T1  105000-105500  api cudaEventRecord #13
T1                 record stream=8 event=3 #13
T1  106000-106500  api cudaStreamWaitEvent #14
T1  106000-106500  wait stream=7 event=3 #14
T1  108000-109000  api cudaLaunchKernel #15
S7  172000-180000  kernel relu #15
T1  188000-190000  api cudaLaunchKernel #16
S7  193000-194000  kernel relu #16
T1  200000-295000  push "step 3"
T1  200000-202000  api cudaLaunchKernel #21
S7  205000-240000  kernel gemm #21
T1  203000-204000  api cudaLaunchKernel #22
S8  230000-270000  kernel ncclDevKernel_AllReduce_Sum_f32 #22 flag=nonblocking
T1  205000-205500  api cudaEventRecord #23
T1                 record stream=8 event=3 #23
T1  206000-206500  api cudaStreamWaitEvent #24
T1  206000-206500  wait stream=7 event=3 #24
T1  208000-209000  api cudaLaunchKernel #25
S7  272000-280000  kernel relu #25
T1  288000-290000  api cudaLaunchKernel #26
S7  293000-294000  kernel relu #26
)";

TEST_CASE("a step's budget tells a wait for a collective from a host that is late") {
  const std::vector<RankTables> ranks = TablesOf(kTraining);
  REQUIRE(ranks.size() == 1);
  CheckAddsUp(ranks[0]);
  REQUIRE(ranks[0].steps.size() == 3);
  CHECK(ranks[0].steps[1].begin_ns == 100000);
  CHECK(ranks[0].steps[1].end_ns == 200000);
  // 5 us before the product and 13 us before the second activation the host had issued nothing,
  // and so it is for 6 us before the next step; the first activation waits for the all-reduce.
  CHECK(BudgetOf(ranks[0], 2) ==
        "compute 44000, launch_starved 24000, blocking 32000 | blocking_communication 32000, "
        "communication 40000, communication_exposed 30000");
}

TEST_CASE("collectives know their step, what of them is exposed and what holds compute back") {
  const RankTables rank = TablesOf(kTraining).at(0);
  REQUIRE(rank.collectives.size() == 3);
  const CollectiveInstance& one = rank.collectives[1];
  CHECK(one.communicator == "kernel:all_reduce");
  CHECK(one.operation == "all_reduce");
  CHECK(one.sequence == 1);
  CHECK_FALSE(one.sequence_is_recorded);
  CHECK(one.step == 2);
  CHECK(one.begin_ns == 130000);
  CHECK(one.exposed_ns == 30000);
  CHECK(one.blocking_ns == 30000);
  CHECK(one.stream == 8);
}

// The segments of a step, a line each.
std::string SegmentsOf(const RankTables& rank, std::int64_t step) {
  std::string text;
  for (const RankSegment& row : rank.segments) {
    if (row.step != step) continue;
    text += std::to_string(row.sequence) + " " + row.work_class + " " +
            std::to_string(row.begin_ns) + "-" + std::to_string(row.end_ns) + " busy " +
            std::to_string(row.busy_ns) + " of " + std::to_string(row.operations);
    if (row.waits_for != kMissing<std::int64_t>) text += " after " + std::to_string(row.waits_for);
    text += "\n";
  }
  return text;
}

TEST_CASE("segments end at collectives and at waits for them, and their busy times add up") {
  CHECK(SegmentsOf(TablesOf(kTraining).at(0), 2) ==
        "0 gemm 105000-140000 busy 35000 of 1\n"
        "1 elementwise 172000-194000 busy 9000 of 2 after 1\n");
}

TEST_CASE("work that a collective did not wait for is not in a segment with what it waited for") {
  // The second product had ended when the all-reduce began, the third one ran already. Clocks of a
  // recorder are no finer than a microsecond.
  for (const char* end : {"30000", "32400"}) {
    CHECK(SegmentsOf(TablesOf("S7  5000-20000   kernel gemm #1\n"
                              "S7  20000-" +
                              std::string(end) +
                              "  kernel gemm #2\n"
                              "S7  32500-50000  kernel gemm #3\n"
                              "S7  50000-60000  kernel gemm #5\n"
                              "S8  32000-70000  kernel ncclDevKernel_AllReduce_Sum_f32 #4\n")
                         .at(0),
                     0) == "0 gemm 5000-" + std::string(end) + " busy " +
                               std::to_string(std::stoi(end) - 5000) +
                               " of 2\n1 gemm 32500-60000 busy 27500 of 2\n");
  }
}

TEST_CASE("a wait that was not recorded is told by the times") {
  const RankTables rank = TablesOf(R"(
T1  0-2000       api cudaLaunchKernel #1
S7  5000-40000   kernel gemm #1
T1  3000-4000    api cudaLaunchKernel #2
S8  30000-70000  kernel ncclDevKernel_AllReduce_Sum_f32 #2
T1  8000-9000    api cudaLaunchKernel #5
S7  72000-80000  kernel relu #5
T1  9000-9500    api cudaLaunchKernel #6
S7  99000-99500  kernel relu #6
)")
                              .at(0);
  CheckAddsUp(rank);
  // The last one was issued long before, and nothing explains why it did not begin.
  CHECK(BudgetOf(rank, 0) ==
        "compute 43500, blocking 32000, dependency_stalled 19000 | blocking_communication 32000, "
        "communication 40000, communication_exposed 30000");
}

TEST_CASE("NCCL's payload names communicators, sizes and the rank") {
  const RankTables rank = TablesOf(R"(
T1  0-1000       push ncclCommInitRank domain=NCCL json='{"comm":77,"ranks":4,"rank":3}'
T1  2000-4000    push ncclAllReduce domain=NCCL json='{"comm":77,"bytes":4096,"ranks":4,"rank":3}'
T1  2500-3500    api cudaLaunchKernel #2
S8  30000-70000  kernel ncclDevKernel_AllReduce_Sum_f32 #2
)")
                              .at(0);
  REQUIRE(rank.collectives.size() == 1);
  CHECK(rank.collectives[0].communicator == "0x4d");
  CHECK(rank.collectives[0].bytes == 4096);
  CHECK(rank.collectives[0].participants == 4);
  CHECK(rank.facts.global_rank == 3);
  CHECK(rank.facts.rank_source == "nccl");
  CHECK(rank.facts.world_size == 4);
  CHECK(rank.facts.fingerprint == " | all_reduce of 4: 1");
}

TEST_CASE("calls of a group are launched together when it ends") {
  const RankTables rank = TablesOf(R"(
T1  1000-1100    push ncclSend domain=NCCL json='{"comm":77,"bytes":100,"peer":1}'
T1  1200-1300    push ncclSend domain=NCCL json='{"comm":77,"bytes":50,"peer":2}'
T1  2000-4000    push ncclGroupEnd domain=NCCL
T1  2500-3500    api cudaLaunchKernel #2
S8  30000-70000  kernel ncclDevKernel_SendRecv #2
)")
                              .at(0);
  REQUIRE(rank.collectives.size() == 1);
  CHECK(rank.collectives[0].communicator == "0x4d");
  CHECK(rank.collectives[0].bytes == 150);
}

TEST_CASE("messages of NCCL are told from collectives") {
  const auto operation_of = [](const std::string& calls) {
    const std::string text = calls + R"(
T1  2000-4000    push ncclGroupEnd domain=NCCL
T1  2500-3500    api cudaLaunchKernel #2
S8  30000-70000  kernel ncclDevKernel_SendRecv #2
)";
    const RankTables rank = TablesOf(text.c_str()).at(0);
    REQUIRE(rank.collectives.size() == 1);
    const std::int64_t peer = rank.collectives[0].peer;
    const std::string with = peer == kMissing<std::int64_t> ? "?" : std::to_string(peer);
    return rank.collectives[0].operation + " " + with;
  };
  const std::string send = R"(
T1  1000-1100    push ncclSend domain=NCCL json='{"comm":77,"bytes":100,"ranks":4,"peer":1}')";
  const std::string receive = R"(
T1  1200-1300    push ncclRecv domain=NCCL json='{"comm":77,"bytes":100,"ranks":4,"peer":1}')";
  const std::string other = R"(
T1  1400-1500    push ncclRecv domain=NCCL json='{"comm":77,"bytes":100,"ranks":4,"peer":3}')";
  const std::string third = R"(
T1  1600-1700    push ncclSend domain=NCCL json='{"comm":77,"bytes":100,"ranks":4,"peer":2}')";
  CHECK(operation_of(send) == "send 1");
  CHECK(operation_of(receive) == "receive 1");
  CHECK(operation_of(send + receive) == "exchange 1");
  CHECK(operation_of(send + other) == "exchange ?");
  CHECK(operation_of(send + other + third) == "send_receive ?");  // With everybody.
}

TEST_CASE("messages do not move the count of collectives") {
  const auto sequence_of = [](const std::string& messages) {
    const std::string text = messages + R"(
T1  5000-6000    push ncclAllReduce domain=NCCL json='{"comm":77,"bytes":100,"ranks":4}'
T1  5200-5800    api cudaLaunchKernel #2
S8  30000-70000  kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL #2
)";
    return TablesOf(text.c_str()).at(0).collectives.back().sequence;
  };
  CHECK(sequence_of("") == 0);
  CHECK(sequence_of(R"(
T1  1000-2000    push ncclSend domain=NCCL json='{"comm":77,"bytes":100,"ranks":4,"peer":1}'
T1  1200-1800    api cudaLaunchKernel #1
S9  10000-20000  kernel ncclDevKernel_SendRecv #1)") == 0);
}

TEST_CASE("MPI's collectives count per communicator, in the order of their first use") {
  const RankTables rank = TablesOf(R"(
T1  0-1000       mpi MPI_Barrier
T1  2000-3000    mpi MPI_Allreduce bytes=8
)")
                              .at(0);
  REQUIRE(rank.collectives.size() == 2);
  CHECK(rank.collectives[0].operation == "barrier");
  CHECK(rank.collectives[1].operation == "all_reduce");
  CHECK(rank.collectives[1].communicator == "mpi:0");
  CHECK(rank.collectives[1].sequence == 1);
  CHECK(rank.collectives[1].exposed_ns == 1000);
  CHECK(rank.collectives[1].stream == kMissing<std::int64_t>);
}

TEST_CASE("each process with device work is a rank") {
  const std::vector<RankTables> ranks = TablesOf(R"(
S7     5000-40000  kernel gemm
P2.S7  5000-50000  kernel gemm
P3.T1  0-10        push idle
)");
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].process != ranks[1].process);
  CHECK(BudgetOf(ranks[0], 0) == "compute 35000");
  CHECK(BudgetOf(ranks[1], 0) == "compute 45000");
}

TEST_CASE("a rank in a name") {
  CHECK(RankInName("rank 3") == 3u);
  CHECK(RankInName("python3 worker_rank=12 of 64") == 12u);
  CHECK(RankInName("Rank7") == 7u);
  CHECK_FALSE(RankInName("crank 3"));
  CHECK_FALSE(RankInName("ranking"));
  CHECK_FALSE(RankInName("rank 99999999999"));
  CHECK(RankPattern("_r([0-9]+)_").Find("job_r17_x.sqlite") == 17u);
  CHECK(RankPattern("[0-9]+").Find("job17.sqlite") == 17u);
  CHECK_FALSE(RankPattern("r([a-z]+)").Find("rabc"));
  CHECK_THROWS_WITH(RankPattern("(("), Catch::Contains("no regular expression"));
}

TEST_CASE("what does not fit together in a run is said in a line each") {
  std::vector<RankTables> ranks(4);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].facts.global_rank = static_cast<std::int64_t>(i);
    ranks[i].facts.world_size = 4;
    ranks[i].facts.gpu = "A100";
    ranks[i].facts.session_start_ns = 1'700'000'000'000'000'000;
  }
  CHECK(OddRanks(ranks).empty());
  ranks[3].facts.gpu = "H100";
  ranks[2].facts.session_start_ns += 200'000'000'000'000;
  ranks[1].facts.world_size = 8;
  ranks[1].facts.global_rank = 0;
  ranks[0].facts.is_partial = true;
  CHECK(OddRanks(ranks) == std::vector<std::string>{
                               "rank 0 is there twice",
                               "rank 2: recorded more than a day apart from the others: two runs?",
                               "rank 0: is of a job of size 8, others 4",
                               "rank 3: ran on a H100, others A100",
                               "rank 0: salvaged from damaged files"});
  CHECK(MissingRanks(ranks) == "3 of 8 ranks are there");
  CHECK(MissingRanks({ranks.begin() + 2, ranks.end()}) == "2 of 4 ranks are there");
}

TEST_CASE("on real traces budgets add up, and segments to all compute") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const auto& file : test::FilesBelow(*folder / "nsys", ".sqlite")) {
    INFO(file);
    const Trace trace = ImportFile(file);
    for (const RankTables& rank : MakeRankTables(Hierarchy(trace))) {
      CheckAddsUp(rank);
      std::int64_t busy = 0;
      for (const RankSegment& row : rank.segments) busy += row.busy_ns;
      CHECK(busy <= rank.facts.end_ns - rank.facts.begin_ns);
      if (rank.steps.empty()) {
        for (const RankBudget& row : rank.budget) {
          if (row.cause == "compute") CHECK(row.ns == busy);
        }
      }
    }
  }
}

}  // namespace
}  // namespace xsp
