#include <catch2/catch.hpp>
#include <numeric>

#include "diff/comparable.h"
#include "diff/comparison.h"
#include "diff/runs/numbered_ranges.h"
#include "tests/unit/diff/compared.h"

namespace xsp {
namespace {

using State = GateResult::State;
using test::Compared;
using test::kSlower;
using test::kSteady;
using test::RunOf;
using test::With;

DurationNs SumOf(const std::vector<Contribution>& rows) {
  return std::accumulate(rows.begin(), rows.end(), DurationNs{0},
                         [](DurationNs sum, const Contribution& row) { return sum + row.delta; });
}

std::string TopOf(const Comparison& c) {
  const Contribution& row = c.contributions.front();
  return c.Path(row.pair) + " " + std::string(NameOf(row.kind)) + " " + std::to_string(row.delta);
}

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

TEST_CASE("all runs speak of steps found in the same way, or none does", "[diff]") {
  const Run step = RunOf("steps 1 2 3");
  const Run span = RunOf("span 1");
  Run repeated = RunOf("steps 1 2 3");
  repeated.step_source = StepSource::kRepetition;
  CHECK(SameUnit({&step, &step}));
  CHECK(SameUnit({&span, &span}));
  CHECK_FALSE(SameUnit({&step, &span}));
  CHECK_FALSE(SameUnit({&step, &repeated}));
  Run named = step;
  named.facts.in_ranges = 0.97;
  CHECK(RangesOnOneSideOnly({&named}, {&step}));
  CHECK(RangesOnOneSideOnly({&step, &step}, {&named}));
  CHECK_FALSE(RangesOnOneSideOnly({&named}, {&named}));
  CHECK_FALSE(RangesOnOneSideOnly({&step}, {&step}));
  // A side that is of two minds is compared as it is.
  CHECK_FALSE(RangesOnOneSideOnly({&named, &step}, {&step}));
}

}  // namespace
}  // namespace xsp
