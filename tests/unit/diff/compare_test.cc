#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "diff/comparable.h"
#include "diff/comparison.h"
#include "diff/gates/gate_check.h"
#include "diff/runs/numbered_ranges.h"
#include "tests/unit/diff/run_of.h"

namespace xsp {
namespace {

using test::RunOf;

// Two sides and what came of comparing them.
struct Compared {
  Side base;
  Side now;
  Comparison c;

  Compared(std::vector<Run> base_runs, std::vector<Run> now_runs, CompareOptions options = {})
      : base(std::move(base_runs)), now(std::move(now_runs)), c(Compare(base, now, options)) {}
  Compared(std::string_view base_text, std::string_view now_text, CompareOptions options = {})
      : Compared(One(base_text), One(now_text), std::move(options)) {}

  static std::vector<Run> One(std::string_view text) {
    std::vector<Run> runs;
    runs.push_back(RunOf(text));
    return runs;
  }
};

DurationNs SumOf(const std::vector<Contribution>& rows) {
  return std::accumulate(rows.begin(), rows.end(), DurationNs{0},
                         [](DurationNs sum, const Contribution& row) { return sum + row.delta; });
}

std::string TopOf(const Comparison& c) {
  const Contribution& row = c.contributions.front();
  return c.Path(row.pair) + " " + std::string(NameOf(row.kind)) + " " + std::to_string(row.delta);
}

CompareOptions With(std::vector<std::string> gates) {
  CompareOptions options;
  options.today = "2026-01-31";
  for (const std::string& gate : gates) options.gates.push_back(ParseGate(gate));
  return options;
}

GateResult GateOf(std::string_view base, std::string_view now, const std::string& gate,
                  CompareOptions options = {}) {
  options.today = "2026-01-31";
  options.gates = {ParseGate(gate)};
  return Compared(base, now, options).c.gates.front();
}

using State = GateResult::State;

constexpr std::string_view kSteady =
    "steps 1000 1001 999 1002 998 1000\ngpu T4\n"
    "kernel fwd/layer 0/gemm = 400 class=gemm precision=fp16\n"
    "kernel fwd/layer 1/gemm = 400 class=gemm\n"
    "call fwd/layer 0/cudaLaunchKernel = 100 x2 kind=launch\n"
    "call fwd/cudaStreamSynchronize = 50 kind=sync\n";
constexpr std::string_view kSlower =
    "steps 1100 1101 1099 1102 1098 1100\ngpu T4\n"
    "kernel fwd/layer 0/gemm = 400 class=gemm precision=fp16\n"
    "kernel fwd/layer 1/gemm = 500 class=gemm\n"
    "call fwd/layer 0/cudaLaunchKernel = 100 x2 kind=launch\n"
    "call fwd/cudaStreamSynchronize = 50 kind=sync\n";

TEST_CASE("a side compared with itself is the same in every row", "[diff]") {
  const Compared self(kSteady, kSteady, With({"step > 0%", "layer:* > 0%", "kernels.added > 0"}));
  CHECK(self.c.verdict == Verdict::kSame);
  CHECK(self.c.unit.identical);
  CHECK(self.c.changes.empty());
  for (const Contribution& row : self.c.contributions) CHECK(row.delta == 0);
  for (const GateResult& gate : self.c.gates) CHECK(gate.state == State::kHolds);
}

TEST_CASE("contributions sum to the change, the largest first", "[diff]") {
  const Compared slower(kSteady, kSlower);
  CHECK(slower.c.verdict == Verdict::kRegression);
  CHECK(slower.c.base_ns() == 1000);
  CHECK(slower.c.now_ns() == 1100);
  CHECK(SumOf(slower.c.contributions) == 100);
  CHECK(TopOf(slower.c) == "fwd/layer 1/gemm device 100");
  CHECK(slower.c.contributions.front().significant);
  CHECK_FALSE(slower.c.contributions[1].significant);
  CHECK(slower.c.contributions.back().kind == CostKind::kResidual);
}

TEST_CASE("what the replay is short of is a row, not spread over the others", "[diff]") {
  const Compared c("steps 1000 1000 1000\ngpu T4\nkernel a/l/k = 900",
                   "steps 1200 1200 1200\ngpu T4\nkernel a/l/k = 950");
  CHECK(TopOf(c.c) == "a/l/k device 50");
  CHECK(c.c.contributions.back().delta == 150);
  CHECK(SumOf(c.c.contributions) == 200);
}

TEST_CASE("rounded means still sum to the nanosecond", "[diff]") {
  const Compared c("steps 10 11 10\ngpu T4\nkernel a/l/k = 3 4 3\nkernel a/l/m = 2 3 3",
                   "steps 12 11 12\ngpu T4\nkernel a/l/k = 5 4 4\nkernel a/l/m = 3 3 4");
  CHECK(SumOf(c.c.contributions) == c.c.now_ns() - c.c.base_ns());
}

TEST_CASE("matched, added and removed make up both totals", "[diff]") {
  const Compared c(
      "steps 100 100 100\ngpu T4\nkernel a/l/x = 30\nkernel a/l/sgemm_64x64 = 20\nkernel a/l/z = 7 "
      "class=sort",
      "steps 100 100 100\ngpu T4\nkernel a/l/x = 31\nkernel a/l/sgemm_32x32 = 22\nkernel a/l/w = 9 "
      "class=norm");
  CHECK(c.c.accounting.matched_base + c.c.accounting.removed == 57);
  CHECK(c.c.accounting.matched_now + c.c.accounting.added == 62);
  CHECK(c.c.accounting.removed == 0);  // The last ones of their place: one replaces the other.
  CHECK(c.c.kernels.matched == 3);
  CHECK(c.c.kernels.renamed == 2);
}

TEST_CASE("changes are named: precision, count, shape", "[diff]") {
  const Compared c(
      "steps 100 100 100\ngpu T4\nkernel a/l/x = 30 x1 precision=fp16 grid=4 block=128 class=gemm",
      "steps 100 100 100\ngpu T4\nkernel a/l/x = 30 x3 precision=fp32 grid=8 block=256 class=gemm");
  std::string kinds;
  for (const Change& change : c.c.changes) {
    if (c.c.Place(change.pair).is_kernel) kinds += std::string(NameOf(change.kind)) + " ";
  }
  CHECK(kinds == "changed_count changed_shape changed_precision ");
}

TEST_CASE("another GPU cannot be compared while other things are warned of", "[diff]") {
  const Compared gpu("steps 10 10 10\ngpu Tesla T4", "steps 10 10 10\ngpu A100");
  CHECK_FALSE(gpu.c.comparable);
  CHECK(gpu.c.reasons == std::vector<std::string>{"another GPU: Tesla T4 → A100"});
  const Compared more("steps 10 10 10\ngpu T4", "steps 10 10 10\ngpu T4\ngpu T4");
  CHECK(more.c.reasons == std::vector<std::string>{"another GPU: T4 → 2 × T4"});
  const Compared rest(
      "steps 10 10 10\ngpu T4\ndriver 535\nclock 1500000000\nshape [8, 128]",
      "steps 10 10 10 10 10\ngpu T4\ndriver 550\nclock 1400000000\nshape [16, 128]");
  CHECK(rest.c.comparable);
  CHECK(rest.c.warnings ==
        std::vector<std::string>{"another driver: 535 → 550",
                                 "another GPU clock: 1500 MHz → 1400 MHz",
                                 "another batch or input size: [8, 128] → [16, 128]",
                                 "another number of steps in a run: 3 → 5"});
  const Compared unknown("steps 10 10 10", "steps 10 10 10\ngpu T4");
  CHECK(unknown.c.warnings == std::vector<std::string>{"the GPU is not recorded on the base"});
}

TEST_CASE("most kernels with other grids speak for another batch", "[diff]") {
  const Compared c("steps 10 10 10\ngpu T4\nkernel a/l/x = 5 grid=4 block=64",
                   "steps 10 10 10\ngpu T4\nkernel a/l/x = 5 grid=8 block=64");
  REQUIRE(c.c.warnings.size() == 1);
  CHECK_THAT(c.c.warnings[0], Catch::StartsWith("another batch or problem size"));
  // Another block is another way to do the same.
  CHECK(Compared("steps 10 10 10\ngpu T4\nkernel a/l/x = 5 grid=4 block=64",
                 "steps 10 10 10\ngpu T4\nkernel a/l/x = 5 grid=2 block=128")
            .c.warnings.empty());
}

TEST_CASE("a gate fails beyond its limit and holds within", "[diff]") {
  CHECK(GateOf(kSteady, kSlower, "step > 5%").state == State::kFails);
  CHECK(GateOf(kSteady, kSlower, "step > 12%").state == State::kHolds);
  CHECK(GateOf(kSlower, kSteady, "step > 0%").state == State::kHolds);
  CHECK(GateOf(kSteady, kSlower, "step > 50ns").state == State::kFails);
  CHECK(GateOf(kSteady, kSlower, "step > 150ns").state == State::kHolds);
  CHECK(GateOf(kSteady, kSlower, "step.median > 5%").state == State::kFails);
  CHECK(GateOf(kSteady, kSlower, "device > 5%").state == State::kFails);
  CHECK(GateOf(kSteady, kSlower, "launch > 5%").state == State::kHolds);
  const GateResult layer = GateOf(kSteady, kSlower, "layer:*layer* > 5%");
  CHECK(layer.state == State::kFails);
  CHECK(layer.where == "fwd/layer 1");
  CHECK(*layer.value == Approx(0.25));
  CHECK(GateOf(kSteady, kSlower, "layer:*layer 0* > 5%").state == State::kHolds);
  CHECK(GateOf(kSteady, kSlower, "kernel:gemm > 5%").state == State::kFails);
  CHECK(GateOf(kSteady, kSlower, "class:gemm > 20%").state == State::kHolds);
}

TEST_CASE("counts have no noise", "[diff]") {
  const std::string more = std::string(kSteady) + "kernel fwd/layer 0/cast = 1 class=cast\n";
  CHECK(GateOf(kSteady, more, "kernels.added > 0").state == State::kFails);
  CHECK(GateOf(kSteady, more, "kernels > 0").state == State::kFails);
  CHECK(GateOf(kSteady, more, "kernels > 1").state == State::kHolds);
  CHECK(GateOf(kSteady, more, "kernels.removed > 0").state == State::kHolds);
  CHECK(GateOf(kSteady, more, "launches > 0").state == State::kHolds);
}

TEST_CASE("missing data is neither a pass nor a failure", "[diff]") {
  const GateResult memory = GateOf(kSteady, kSlower, "memory.peak > 2%");
  CHECK(memory.state == State::kNoData);
  CHECK_THAT(memory.why, Catch::Contains("--cuda-memory-usage"));
  CHECK(GateOf(kSteady, kSlower, "layer:*attention* > 2%").state == State::kNoData);
  const std::string with_memory = std::string(kSteady) + "memory 1000\n";
  const std::string with_more = std::string(kSteady) + "memory 1030\n";
  CHECK(GateOf(with_memory, with_more, "memory.peak > 2%").state == State::kFails);
  CHECK(GateOf(with_memory, with_more, "memory.peak > 5%").state == State::kHolds);
}

TEST_CASE("with noise beyond the limit a gate cannot tell", "[diff]") {
  const std::string_view noisy = "steps 800 1200 900 1100 1000 1050\ngpu T4";
  const std::string_view other = "steps 830 1230 930 1080 1010 1150\ngpu T4";
  CHECK(GateOf(noisy, other, "step > 3%").state == State::kUndecided);
  CHECK(GateOf(noisy, other, "step > 50%").state == State::kHolds);
  CompareOptions strict;
  strict.strict = true;
  CHECK(GateOf(noisy, other, "step > 2%", strict).state == State::kFails);
  CHECK(GateOf(noisy, other, "step > 5%", strict).state == State::kHolds);
}

TEST_CASE("one value a side decides no limit within the noise that is assumed", "[diff]") {
  auto state = [](const char* now, const char* gate) {
    return GateOf("span 1000\ngpu T4", now, gate).state;
  };
  CHECK(state("span 1050\ngpu T4", "step > 3%") == State::kUndecided);
  CHECK(state("span 1010\ngpu T4", "step > 3%") == State::kUndecided);
  CHECK(state("span 1120\ngpu T4", "step > 3%") == State::kFails);
  CHECK(state("span 850\ngpu T4", "step > 3%") == State::kHolds);
  CHECK(state("span 1050\ngpu T4", "step > 15%") == State::kHolds);
  CHECK(state("span 1000\ngpu T4", "step > 3%") == State::kHolds);
  CHECK_THAT(GateOf("span 1000", "span 1050", "step > 3%").why, Catch::Contains("three runs"));
  CompareOptions known;
  known.noise = 0.02;
  CHECK(GateOf("span 1000", "span 1050", "step > 3%", known).state == State::kFails);
  CHECK(GateOf("span 1000", "span 1015", "step > 3%", known).state == State::kHolds);
  CompareOptions remembered;
  remembered.remembered = RunNoise{0.003, 20};
  CHECK(GateOf("span 1000", "span 1050", "step > 3%", remembered).state == State::kFails);
  CHECK(GateOf("span 1000", "span 1010", "step > 3%", remembered).state == State::kHolds);
}

// All verdicts that runs of this noise give, in pairs of three runs a side.
template <class F>
void ForPairs(int pairs, double growth, F look) {
  std::mt19937_64 random(20261118);
  std::normal_distribution<double> chance(0, 0.01);
  auto side = [&](double mean) {
    std::vector<Run> runs;
    for (int i = 0; i < 3; ++i) {
      const auto ns = std::llround(1e9 * mean * (1 + chance(random)));
      runs.push_back(RunOf("gpu T4\nspan " + std::to_string(ns)));
    }
    return runs;
  };
  for (int i = 0; i < pairs; ++i) look(side(1), side(1 + growth));
}

TEST_CASE("five per cent are found in three runs a side that differ by one", "[diff]") {
  int found = 0;
  ForPairs(200, 0.05, [&](std::vector<Run> base, std::vector<Run> now) {
    const Compared c(std::move(base), std::move(now), With({"step > 3%"}));
    found += c.c.gates.front().state == State::kFails;
  });
  CHECK(found >= 194);  // 6 of 6: a share of 0.97 gives that in five of six tries.
}

TEST_CASE("where nothing changed hardly any limit fails, and few are undecided", "[diff]") {
  struct Row {
    const char* limit;
    int failed;     // At most so many of 600: 10 are 1 of 60.
    int undecided;  // Limits as small as the noise cannot be decided in three runs.
  };
  for (const Row& row : {Row{"step > 2%", 10, 180}, {"step > 3%", 3, 20}, {"step > 5%", 0, 0}}) {
    int failed = 0, undecided = 0;
    ForPairs(600, 0, [&](std::vector<Run> base, std::vector<Run> now) {
      const Compared c(std::move(base), std::move(now), With({row.limit}));
      failed += c.c.gates.front().state == State::kFails;
      undecided += c.c.gates.front().state == State::kUndecided;
    });
    INFO(row.limit);
    CHECK(failed <= row.failed);
    CHECK(undecided <= row.undecided);
  }
}

TEST_CASE("a limit whose estimate lies above it never holds", "[diff]") {
  for (double growth : {0.0, 0.01, 0.03, 0.04}) {
    ForPairs(100, growth, [&](std::vector<Run> base, std::vector<Run> now) {
      const Compared c(std::move(base), std::move(now), With({"step > 3%", "span > 0.5%"}));
      for (const GateResult& gate : c.c.gates) {
        if (*gate.value > gate.gate.limit) CHECK(gate.state != State::kHolds);
      }
    });
  }
}

TEST_CASE("strict limits decide what noise leaves open, and nothing else", "[diff]") {
  for (double growth : {-0.02, 0.0, 0.02, 0.03, 0.04}) {
    ForPairs(60, growth, [&](std::vector<Run> base, std::vector<Run> now) {
      CompareOptions options = With({"step > 3%", "step > 1%", "wall > 2%"});
      const Compared usual(base, now, options);
      options.strict = true;
      const Compared strict(std::move(base), std::move(now), options);
      CHECK(strict.c.verdict == usual.c.verdict);
      for (std::size_t i = 0; i < options.gates.size(); ++i) {
        const State state = strict.c.gates[i].state;
        CHECK(state != State::kUndecided);
        if (usual.c.gates[i].state != State::kUndecided) CHECK(state == usual.c.gates[i].state);
      }
    });
  }
}

TEST_CASE("all places that fail are told, and all can be accepted at once", "[diff]") {
  std::string base = "steps 1000 1001 999 1002\ngpu T4\n";
  std::string now = base;
  for (int i = 0; i < 20; ++i) {
    base += "kernel fwd/l/k" + std::to_string(i) + "_a = 40\n";
    now += "kernel fwd/l/k" + std::to_string(i) + "_a = " + std::to_string(45 + i) + "\n";
  }
  now += "kernel fwd/l/added = 30\n";
  const GateResult gate = GateOf(base, now, "kernel:* > 3%");
  REQUIRE(gate.places.size() == 21);
  CHECK(gate.CountPlaces(State::kFails) == 21);
  CHECK(gate.where == "added");
  CHECK(gate.places[1].where == "k19_a");
  CHECK(gate.places[1].value == Approx(24.0 / 40));

  AcceptedChange how;
  how.reason = "safer";
  how.recorded = "2026-01-31";
  CompareOptions options;
  options.accepted = AcceptancesOf(gate, how);
  REQUIRE(options.accepted.size() == 21);
  CHECK(options.accepted[0].what == "kernel:added");
  CHECK(options.accepted[0].unit == LimitUnit::kNanoseconds);  // A share of nothing is no number.
  CHECK(options.accepted[0].change == Approx(30));
  const GateResult accepted = GateOf(base, now, "kernel:* > 3%", options);
  CHECK(accepted.state == State::kAccepted);
  CHECK(accepted.CountPlaces(State::kAccepted) == 21);
  options.accepted.erase(options.accepted.begin() + 5);
  const GateResult again = GateOf(base, now, "kernel:* > 3%", options);
  CHECK(again.state == State::kFails);
  CHECK(again.CountPlaces(State::kFails) == 1);
}

TEST_CASE("what was accepted is used up once the base has come there", "[diff]") {
  const GateResult first = GateOf(kSteady, kSlower, "step > 3%");
  AcceptedChange how;
  how.reason = "worth it";
  how.recorded = "2026-01-31";
  CompareOptions options;
  options.accepted = AcceptancesOf(first, how);
  REQUIRE(options.accepted.size() == 1);
  CHECK(options.accepted[0].base == Approx(1000));
  CHECK(GateOf(kSteady, kSlower, "step > 3%", options).state == State::kAccepted);
  // The slower one is the base now: as much again was accepted by nobody.
  const std::string_view slower_still = "steps 1210 1211 1209 1212 1208 1210\ngpu T4\n";
  const GateResult again = GateOf(kSlower, slower_still, "step > 3%", options);
  CHECK(again.state == State::kFails);
  CHECK_FALSE(again.accepted.has_value());
  // Half of the way: half of it is left.
  const std::string_view between = "steps 1050 1051 1049 1052 1048 1050\ngpu T4\n";
  CHECK(GateOf(between, kSlower, "step > 3%", options).state == State::kAccepted);
  CHECK(GateOf(between, slower_still, "step > 3%", options).state == State::kFails);
  options.accepted[0].base.reset();  // As files from before have it.
  CHECK(GateOf(kSlower, slower_still, "step > 3%", options).state == State::kAccepted);
}

TEST_CASE("a kernel is limited under the name of either side", "[diff]") {
  const std::string_view base =
      "steps 100 101 99\ngpu T4\nkernel a/l/sgemm_64x64_tn = 50 class=gemm";
  const std::string_view now =
      "steps 120 121 119\ngpu T4\nkernel a/l/sgemm_32x32_tn = 70 class=gemm";
  for (const char* gate : {"kernel:*64x64* > 3%", "kernel:*32x32* > 3%"}) {
    const GateResult result = GateOf(base, now, gate);
    CHECK(result.state == State::kFails);
    REQUIRE(result.places.size() == 1);
    CHECK(result.places[0].where == "sgemm_64x64_tn");
    CHECK(result.places[0].now == "sgemm_32x32_tn");
    CHECK(*result.value == Approx(0.4));
  }
  CompareOptions options;
  options.accepted = {{"kernel:sgemm_32x32_tn", 0.4, LimitUnit::kShare, "x", "2026-01-01", {}}};
  CHECK(GateOf(base, now, "kernel:* > 3%", options).state == State::kAccepted);
}

TEST_CASE("spans, wall times and named ranges can be limited beside the step", "[diff]") {
  const std::string base = std::string(kSteady) + "whole 9000 10000\nrange load = 100 101 99\n";
  const std::string now = std::string(kSteady) + "whole 9100 13000\nrange load = 150 151 149\n";
  CHECK(GateOf(base, now, "span > 3%").state == State::kUndecided);  // One value a side.
  CHECK(GateOf(base, now, "wall > 3%").state == State::kFails);
  CHECK(GateOf(base, now, "wall > 5us").state == State::kHolds);
  const std::string cold = base + "one_time 4000\n", colder = now + "one_time 6000\n";
  CHECK(GateOf(cold, colder, "one_time > 3%").state == State::kFails);
  CHECK(GateOf(cold, colder, "one_time > 3us").state == State::kHolds);
  CHECK(GateOf(cold, cold, "one_time > 0%").state == State::kHolds);
  const GateResult load = GateOf(base, now, "nvtx:lo* > 5%");
  CHECK(load.state == State::kFails);
  CHECK(load.where == "load");
  CHECK(*load.value == Approx(0.5).epsilon(0.01));
  CHECK(GateOf(base, now, "nvtx:load > 60ns").state == State::kHolds);
  CHECK(GateOf(base, now, "nvtx:save > 5%").state == State::kNoData);
}

TEST_CASE("ranges that count the steps are one and others stay apart", "[diff]") {
  RangesByName ranges;
  for (std::uint32_t step = 0; step < 4; ++step) {
    ranges["step " + std::to_string(step + 7)] = {{0, step, 10 + step}};
    ranges["layer 0"].push_back({0, step, 3});
    ranges["layer 1"].push_back({0, step, 4});
  }
  ranges["epoch 1"] = {{0, 0, 5}};
  ranges["epoch 2"] = {{0, 3, 5}};
  const RangesByName joined = JoinNumbered(ranges);
  std::string names;
  for (const auto& [name, samples] : joined) {
    names += name + ":" + std::to_string(samples.size()) + " ";
  }
  CHECK(names == "epoch 1:1 epoch 2:1 layer 0:4 layer 1:4 step #:4 ");
}

TEST_CASE("kernels whose own time changed are told, on the path or not", "[diff]") {
  // A program that mostly waits, as kernel authors record it.
  const Compared c(
      "span 3190000000\ngpu H200\nkernel a/l/nvfuser_pointwise = 132500 hidden=1\n"
      "kernel a/l/other = 380000 hidden=1\nkernel a/l/gone = 5000 hidden=1 class=sort\n",
      "span 3188000000\ngpu H200\nkernel a/l/nvfuser_pointwise = 124700 hidden=1\n"
      "kernel a/l/other = 381000 hidden=1\nkernel a/l/fresh = 9000 hidden=1 class=norm\n"
      "kernel a/l/twice = 9000 hidden=1 class=gemm\n");
  REQUIRE(c.c.kernel_times.size() == 1);
  CHECK(c.c.kernel_times[0].base == "nvfuser_pointwise");
  CHECK(c.c.kernel_times[0].base_ns == 132500);
  CHECK(c.c.kernel_times[0].now_ns == 124700);
  CHECK_FALSE(c.c.kernel_times[0].certain.has_value());
}

TEST_CASE("a kernel that runs more often takes no longer by itself", "[diff]") {
  const Compared c(
      "steps 100 101 99\ngpu T4\nkernel a/l/x = 30 31 29 x1\nkernel a/m/x = 300 301 299 x2",
      "steps 200 201 199\ngpu T4\nkernel a/l/x = 90 91 89 x3\nkernel a/m/x = 300 300 300 x2");
  CHECK(c.c.kernel_times.empty());
  const Compared slower(
      "steps 100 101 99\ngpu T4\nkernel a/l/x = 30 31 29 x1\nkernel a/m/x = 300 301 299 x2",
      "steps 100 101 99\ngpu T4\nkernel a/l/x = 90 91 89 x3\nkernel a/m/x = 330 331 329 x2");
  REQUIRE(slower.c.kernel_times.size() == 1);
  CHECK(slower.c.kernel_times[0].certain == true);
  CHECK(slower.c.kernel_times[0].base_ns == Approx(110));
  CHECK(slower.c.kernel_times[0].now_ns == Approx(120));
}

TEST_CASE("another CPU, card or a run on both sides is said", "[diff]") {
  const Compared c("steps 10 11 10\ngpu T4\ncpu Xeon\ncard GPU-1\nos Ubuntu 22",
                   "steps 10 12 10\ngpu T4\ncpu EPYC\ncard GPU-2\nos Ubuntu 24");
  CHECK(c.c.warnings == std::vector<std::string>{
                            "another GPU of the same model, so perhaps another host: GPU-1 → GPU-2",
                            "another CPU: Xeon → EPYC",
                            "another operating system: Ubuntu 22 → Ubuntu 24"});
  Run saved = RunOf(kSteady), other = RunOf(kSlower), fresh = RunOf(kSteady);
  saved.name = "saved";
  fresh.name = "fresh";
  const Compared both({saved, other}, {fresh});
  REQUIRE(both.c.warnings.size() == 1);
  CHECK(both.c.warnings[0] == "fresh is in the base already, as saved");
}

TEST_CASE("a verdict and its gates never contradict each other", "[diff]") {
  for (const char* limit : {"step > 0%", "step > 1%", "step > 3%", "step > 10%", "step > 15%"}) {
    for (auto [base, now] :
         {std::pair(kSteady, kSlower), std::pair(kSlower, kSteady), std::pair(kSteady, kSteady)}) {
      const Compared compared(base, now, With({limit}));
      const State state = compared.c.gates.front().state;
      if (state == State::kFails) CHECK(compared.c.verdict == Verdict::kRegression);
      if (state == State::kUndecided) CHECK(compared.c.verdict == Verdict::kCannotTell);
    }
  }
}

TEST_CASE("an accepted change counts on top of the limit, as long as it lasts", "[diff]") {
  const GateResult failed = GateOf(kSteady, kSlower, "step > 3%");
  REQUIRE(failed.state == State::kFails);
  AcceptedChange how;
  how.reason = "safer";
  how.recorded = "2026-01-31";
  how.until = "2026-03-01";
  const AcceptedChange change = AcceptancesOf(failed, how).front();
  CHECK(change.what == "step");
  CHECK(change.change == Approx(0.1));
  CompareOptions options;
  options.accepted = {change};
  const GateResult accepted = GateOf(kSteady, kSlower, "step > 3%", options);
  CHECK(accepted.state == State::kAccepted);
  CHECK(accepted.accepted->reason == "safer");
  options.accepted[0].until = "2026-01-30";
  CHECK(GateOf(kSteady, kSlower, "step > 3%", options).state == State::kFails);

  const GateResult layer = GateOf(kSteady, kSlower, "layer:* > 5%");
  options.accepted = AcceptancesOf(layer, how);
  CHECK(options.accepted[0].what == "layer:fwd/layer 1");
  CHECK(GateOf(kSteady, kSlower, "layer:* > 5%", options).state == State::kAccepted);
  CHECK(GateOf(kSteady, kSlower, "layer:* > 500%", options).state == State::kHolds);
}

TEST_CASE("all runs speak of steps found in the same way, or none does", "[diff]") {
  const Run step = RunOf("steps 1 2 3");
  const Run span = RunOf("span 1");
  Run repeated = RunOf("steps 1 2 3");
  repeated.step_source = StepSource::kRepetition;
  CHECK(SameUnit({&step, &step}));
  CHECK(SameUnit({&span, &span}));
  CHECK_FALSE(SameUnit({&step, &span}));
  CHECK_FALSE(SameUnit({&step, &repeated}));
}

}  // namespace
}  // namespace xsp
