#include <catch2/catch.hpp>
#include <numeric>

#include "diff/comparable.h"
#include "diff/comparison.h"
#include "diff/gates/gate_check.h"
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
  CHECK(GateOf(noisy, other, "step > 3%").state == State::kUnknown);
  CHECK(GateOf(noisy, other, "step > 50%").state == State::kHolds);
  CompareOptions strict;
  strict.strict = true;
  CHECK(GateOf(noisy, other, "step > 2%", strict).state == State::kFails);
  CHECK(GateOf(noisy, other, "step > 5%", strict).state == State::kHolds);
}

TEST_CASE("one value a side counts against limit and noise", "[diff]") {
  CHECK(GateOf("span 1000\ngpu T4", "span 1015\ngpu T4", "step > 1%").state == State::kHolds);
  CHECK(GateOf("span 1000\ngpu T4", "span 1025\ngpu T4", "step > 1%").state == State::kFails);
  CHECK(GateOf("span 1000\ngpu T4", "span 1025\ngpu T4", "step > 3%").state == State::kHolds);
}

TEST_CASE("a verdict and its gates never contradict each other", "[diff]") {
  for (const char* limit : {"step > 0%", "step > 1%", "step > 3%", "step > 10%", "step > 15%"}) {
    for (auto [base, now] :
         {std::pair(kSteady, kSlower), std::pair(kSlower, kSteady), std::pair(kSteady, kSteady)}) {
      for (bool strict : {false, true}) {
        CompareOptions options = With({limit});
        options.strict = strict;
        const Compared compared(base, now, options);
        const State state = compared.c.gates.front().state;
        if (state == State::kFails) CHECK(compared.c.verdict == Verdict::kRegression);
        if (state == State::kUnknown) CHECK(compared.c.verdict == Verdict::kCannotTell);
      }
    }
  }
}

TEST_CASE("an accepted change counts on top of the limit, as long as it lasts", "[diff]") {
  const GateResult failed = GateOf(kSteady, kSlower, "step > 3%");
  REQUIRE(failed.state == State::kFails);
  const AcceptedChange change = AcceptanceOf(failed, "safer", "2026-01-31", "2026-03-01");
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
  options.accepted = {AcceptanceOf(layer, "safer", "2026-01-31", std::nullopt)};
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
