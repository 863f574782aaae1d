#include "hierarchy/leveled/leveled.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// The mean of all steps of a timeline, as a run.
RunProfile RunOf(std::string name, std::string_view timeline) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  std::vector<std::uint32_t> steps(hierarchy.steps().size());
  for (std::uint32_t i = 0; i < steps.size(); ++i) steps[i] = i;
  return ProfileOf(hierarchy, steps, std::move(name));
}

std::string RefusalOf(const std::vector<RunProfile>& runs) {
  try {
    LevelRuns(runs, Statistic::kTrimmed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const LeveledNode& NodeAt(const LeveledRuns& runs, std::string_view path) {
  for (const LeveledNode& node : runs.nodes) {
    if (node.path == path) return node;
  }
  throw std::out_of_range(std::string(path));
}

// XSP's ResNet50 on a V100, batch 256, in microseconds: a prediction takes 275.1 ms; layer
// profiling adds 157 ms; with kernels it takes 490.3 ms, of which the first convolution's three
// kernels cost 0.24 ms.
constexpr std::string_view kModel = R"(
  T1       0-275100   push "step 1"
  T1       0-275100   push predict
)";
constexpr std::string_view kLayers = R"(
  T1       0-432100   push "step 1"
  T1       0-432100   push predict
  T1    1000-7000     push layer:conv1
  T1    7000-432000   push layer:rest
)";
constexpr std::string_view kKernels = R"(
  T1       0-490300   push "step 1"
  T1       0-490300   push predict
  T1    1000-7240     push layer:conv1
  T1    1100-1110     api cudaLaunchKernel #1
  T1    1120-1130     api cudaLaunchKernel #2
  T1    1140-1150     api cudaLaunchKernel #3
  S7    1200-1300     kernel ShuffleTensor #1
  S7    1300-1400     kernel OffsetComp #2
  S7    1400-7200     kernel volta_scudnn_128x64 #3
  T1    7240-490200   push layer:rest
  T1    7300-7310     api cudaLaunchKernel #4
  S7    7400-490000   kernel volta_cgemm_32x32_tn #4
)";

}  // namespace

TEST_CASE("leveled runs give the figures of XSP") {
  const std::vector<RunProfile> runs = {RunOf("mlg", kKernels), RunOf("m", kModel),
                                        RunOf("ml", kLayers)};
  const LeveledRuns leveled = LevelRuns(runs, Statistic::kTrimmed);
  REQUIRE(leveled.depths.size() == 3);
  CHECK(leveled.depths[0].latency_ns == 275'100);
  CHECK_FALSE(leveled.depths[0].overhead_ns);
  CHECK(leveled.depths[1].level == Level::kLayer);
  CHECK(leveled.depths[1].overhead_ns == 157'000);
  CHECK(leveled.depths[2].level == Level::kDevice);
  CHECK(leveled.depths[2].latency_ns == 490'300);
  CHECK(leveled.depths[2].overhead_ns == 58'200);
  CHECK(leveled.depths[2].latency_ns - leveled.depths[0].latency_ns == 215'200);
  CHECK(leveled.by_host);

  const LeveledNode& conv = NodeAt(leveled, "predict/conv1");
  CHECK(conv.depth == 1);
  CHECK(conv.latency_ns == 6'000);
  REQUIRE(conv.overhead_ns.size() == 1);
  CHECK(conv.overhead_ns[0] == 240);
  const LeveledNode& predict = NodeAt(leveled, "predict");
  CHECK(predict.latency_ns == 275'100);
  CHECK(predict.overhead_ns == std::vector<std::optional<double>>{157'000, 58'200});
  const LeveledNode& kernel = NodeAt(leveled, "predict/conv1/volta_scudnn_128x64");
  CHECK(kernel.depth == 2);
  CHECK(kernel.latency_ns == 5'800);
  CHECK(kernel.overhead_ns.empty());
}

TEST_CASE("repeats of a depth are averaged") {
  const std::vector<RunProfile> runs = {RunOf("a", R"(T1 0-100 push "step 1")"),
                                        RunOf("b", R"(T1 0-900 push "step 1")"),
                                        RunOf("c", R"(T1 0-110 push "step 1")")};
  const LeveledRuns trimmed = LevelRuns(runs, Statistic::kTrimmed);
  REQUIRE(trimmed.depths.size() == 1);
  CHECK(trimmed.depths[0].runs == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(trimmed.depths[0].latency_ns == 110);
  CHECK(LevelRuns(runs, Statistic::kMean).depths[0].latency_ns == 370);
}

TEST_CASE("latency goes by the device where every run has device work") {
  const std::vector<RunProfile> runs = {RunOf("only", R"(
    T1    0-100   push "step 1"
    T1    0-20    push layer:a
    T1    5-10    api cudaLaunchKernel #1
    T1   20-40    push layer:b
    T1   25-30    api cudaLaunchKernel #2
    S7   12-60    kernel x #1
    S7   60-95    kernel y #2
  )")};
  const LeveledRuns leveled = LevelRuns(runs, Statistic::kTrimmed);
  CHECK_FALSE(leveled.by_host);
  CHECK(NodeAt(leveled, "a").latency_ns == 60);
  CHECK(NodeAt(leveled, "b").latency_ns == 35);
}

TEST_CASE("an inferred level is not one that was profiled") {
  const RunProfile run = RunOf("kernels", R"(
    T1    0-50    push "step 1"
    T1    5-10    api cudaLaunchKernel #1
    S7   12-30    kernel sgemm_forward #1
    T1   50-100   push "step 2"
    T1   55-60    api cudaLaunchKernel #2
    S7   62-80    kernel sgemm_forward #2
  )");
  CHECK(NamesOf(run.levels) == "step, api, device");
}

TEST_CASE("runs without steps go from their first to their last range") {
  const RunProfile run = RunOf("ranges", "T1 10-50 push load\nT1 60-100 push solve");
  CHECK(NamesOf(run.levels) == "trace, phase");
  const LeveledRuns leveled = LevelRuns({&run, 1}, Statistic::kTrimmed);
  CHECK(leveled.unit == LevelUnit::kRanges);
  CHECK(leveled.depths[0].latency_ns == 90);
}

TEST_CASE("runs of which one has no ranges go by their GPU span") {
  const std::vector<RunProfile> runs = {
      RunOf("cuda", "T1 1-2 api launch #1\nS7 3-40 kernel k #1"),
      RunOf("nvtx", "T1 0-100 push solve\nT1 1-2 api launch #1\nS7 3-45 kernel k #1")};
  const LeveledRuns leveled = LevelRuns(runs, Statistic::kTrimmed);
  CHECK(leveled.unit == LevelUnit::kSpan);
  CHECK(leveled.depths[0].level == Level::kDevice);
  CHECK(leveled.depths[0].latency_ns == 37);
  CHECK(leveled.depths[1].level == Level::kPhase);
  CHECK(leveled.depths[1].overhead_ns == 5);
}

TEST_CASE("runs that tell no common time are refused") {
  const std::vector<RunProfile> runs = {RunOf("cuda", "T1 1-2 api launch #1\nS7 3-40 kernel k #1"),
                                        RunOf("host", "T1 0-100 push solve")};
  CHECK(RefusalOf(runs) ==
        "cuda has no ranges and host no device work: there is no time that both tell");
}

TEST_CASE("a run with nothing to compare is refused") {
  CHECK_THROWS_WITH(RunOf("bare", "T1 5-10 api cudaMalloc"),
                    "bare: there are neither steps nor ranges nor device work in this run");
}

TEST_CASE("runs with other layers are refused with what differs") {
  const RunProfile a = RunOf("a", "T1 0-100 push \"step 1\"\nT1 1-9 push layer:x");
  const RunProfile b = RunOf("b", "T1 0-100 push \"step 1\"\nT1 1-9 push layer:y");
  CHECK(RefusalOf({a, b}) ==
        "b and a are no runs of the same program: 'y' is in b only; 'x' is in a only");
}

TEST_CASE("runs with other counts are refused with what differs") {
  const RunProfile a = RunOf("a", "T1 0-100 push \"step 1\"\nT1 1-9 push layer:x");
  const RunProfile b =
      RunOf("b", "T1 0-100 push \"step 1\"\nT1 1-9 push layer:x\nT1 11-19 push layer:x");
  CHECK(RefusalOf({a, b}) ==
        "b and a are no runs of the same program: 'x' comes 2 times in b, 1 times in a");
}

TEST_CASE("runs with other numbers of device operations are refused") {
  const RunProfile a =
      RunOf("a", "T1 0-100 push \"step 1\"\nT1 1-2 api launch #1\nS7 3-4 kernel k #1");
  const RunProfile b = RunOf("b", R"(
    T1 0-100 push "step 1"
    T1 1-2 api launch #1
    S7 3-4 kernel k #1
    T1 5-6 api launch #2
    S7 7-8 kernel k #2)");
  CHECK(RefusalOf({a, b}) ==
        "b and a are no runs of the same program: a step has 2 device operations in the one, 1 in "
        "the other");
}

TEST_CASE("runs whose steps are found in another way are refused") {
  const RunProfile a = RunOf("a", "T1 0-100 push \"step 1\"");
  const RunProfile b = RunOf("b", "T1 0-100 push solve");
  CHECK(RefusalOf({a, b}) ==
        "a and b are no runs of the same program: the one has steps that ranges tell, the other "
        "no steps");
}

TEST_CASE("runs on other GPUs are refused") {
  RunProfile a = RunOf("a", "T1 0-100 push \"step 1\"");
  RunProfile b = a;
  a.gpus = "V100";
  b.gpus = "A100";
  CHECK(RefusalOf({a, b}) ==
        "a and a are no runs of the same program: the one ran on A100, the other on V100");
}

TEST_CASE("of two runs one must hold all levels of the other") {
  const RunProfile a = RunOf("a", "T1 0-100 push \"step 1\"\nT1 1-9 push layer:x");
  const RunProfile b =
      RunOf("b", "T1 0-100 push \"step 1\"\nT1 1-2 api launch #1\nS7 3-4 kernel k #1");
  CHECK(RefusalOf({a, b}) ==
        "a holds layer, which b lacks, and the other way round api, device: neither is the deeper "
        "run");
}

TEST_CASE("what comes in few steps is left out and counted") {
  const RunProfile run = RunOf("run", R"(
    T1    0-100   push "step 1"
    T1  100-200   push "step 2"
    T1  200-300   push "step 3"
    T1  210-220   push layer:checkpoint
  )");
  const LeveledRuns leveled = LevelRuns({&run, 1}, Statistic::kTrimmed);
  CHECK(leveled.nodes.empty());
  CHECK(leveled.irregular == 1);
}

TEST_CASE("processes are told apart by their order") {
  const RunProfile run = RunOf("run", R"(
    P1.T1   0-100   push "step 1"
    P1.T1   0-50    push layer:x
    P2.T1   0-100   push "step 1"
    P2.T1   0-40    push layer:x
    P1.T1  60-70    mpi MPI_Barrier
    P2.T1  60-70    mpi MPI_Barrier
  )");
  const LeveledRuns leveled = LevelRuns({&run, 1}, Statistic::kTrimmed);
  CHECK(NodeAt(leveled, "rank 0/x").latency_ns == 50);
  CHECK(NodeAt(leveled, "rank 1/x").latency_ns == 40);
}

}  // namespace xsp
