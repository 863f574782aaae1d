// What becomes of limits: their states, by how much noise there is, where, and what was accepted.
#include "diff/gates/gate_check.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/unit/diff/compared.h"

namespace xsp {
namespace {

using State = GateResult::State;
using test::Compared;
using test::kSlower;
using test::kSteady;
using test::RunOf;
using test::With;

GateResult GateOf(std::string_view base, std::string_view now, const std::string& gate,
                  CompareOptions options = {}) {
  options.today = "2026-01-31";
  options.gates = {ParseGate(gate)};
  return Compared(base, now, options).c.gates.front();
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

TEST_CASE("a run without its kernels passes no limit on what the GPU does", "[diff]") {
  const std::string blind =
      "steps 1000 1001 999 1002 998 1000\ngpu T4\nno_kernels\ncopy fwd/[CUDA memcpy HtoD] = 1\n";
  for (const char* gate :
       {"kernel:* > 3%", "layer:* > 3%", "class:* > 3%", "kernels > 0", "device > 3%", "idle > 3%",
        "kernels.removed > 99", "copies > 3%", "span > 3%"}) {
    INFO(gate);
    CHECK(GateOf(kSteady, blind, gate).state == State::kNoData);
    CHECK(GateOf(blind, kSteady, gate).state == State::kNoData);
  }
  CHECK(GateOf(kSteady, blind, "step > 3%").state == State::kHolds);
  CHECK(GateOf(blind, blind, "copies > 3%").state == State::kHolds);  // There are none.
}

TEST_CASE("a named range that is gone is no faster", "[diff]") {
  const std::string base = std::string(kSteady) + "range load = 100 101 99\nrange save = 5\n";
  const std::string now = std::string(kSteady) + "range save = 5\n";
  const GateResult load = GateOf(base, now, "nvtx:load > 3%");
  CHECK(load.state == State::kNoData);
  CHECK_THAT(load.why, Catch::Contains("new side"));
  CHECK(GateOf(base, now, "nvtx:* > 3%").state == State::kHolds);
  CHECK(GateOf(now, base, "nvtx:load > 3%").state == State::kFails);
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

TEST_CASE("small changes pass one by one and fail against a base that stays", "[diff]") {
  std::mt19937_64 random(20);
  std::normal_distribution<double> chance(0, 0.002);
  auto side = [&](double mean) {
    std::vector<Run> runs;
    for (int i = 0; i < 3; ++i) {
      runs.push_back(
          RunOf("gpu T4\nspan " + std::to_string(std::llround(1e9 * mean * (1 + chance(random))))));
    }
    return runs;
  };
  const std::vector<Run> pinned = side(1);
  std::vector<Run> moving = pinned;
  double mean = 1;
  for (int change = 1; change <= 20; ++change) {
    mean *= 1.004;
    const std::vector<Run> now = side(mean);
    INFO(change);
    CHECK(Compared(moving, now, With({"step > 3%"})).c.gates.front().state == State::kHolds);
    const State against = Compared(pinned, now, With({"step > 5%"})).c.gates.front().state;
    if (change <= 10) CHECK(against == State::kHolds);
    if (change >= 15) CHECK(against == State::kFails);
    moving = now;
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
  // A kernel that was new when it was accepted is no longer new.
  const std::string with = std::string(kSteady) + "kernel fwd/layer 1/cast = 30 class=cast\n";
  const std::string more = std::string(kSteady) + "kernel fwd/layer 1/cast = 60 class=cast\n";
  CompareOptions cast;
  cast.accepted = AcceptancesOf(GateOf(kSteady, with, "kernel:* > 3%"), how);
  REQUIRE(cast.accepted.size() == 1);
  CHECK(GateOf(kSteady, with, "kernel:* > 3%", cast).state == State::kAccepted);
  CHECK(GateOf(kSteady, more, "kernel:* > 3%", cast).state == State::kFails);
  CHECK(GateOf(with, more, "kernel:* > 3%", cast).state == State::kFails);
  options.accepted[0].base.reset();  // As files from before have it.
  CHECK(GateOf(kSlower, slower_still, "step > 3%", options).state == State::kAccepted);
}

TEST_CASE("kernels that were accepted to come or go are used up, too", "[diff]") {
  const std::string one = std::string(kSteady) + "kernel fwd/layer 1/cast = 30 class=cast\n";
  const std::string two = one + "kernel fwd/layer 1/copy = 30 class=cast\n";
  AcceptedChange how;
  how.reason = "worth it";
  how.recorded = "2026-01-31";
  CompareOptions added, removed;
  added.accepted = AcceptancesOf(GateOf(kSteady, one, "kernels.added > 0"), how);
  CHECK(GateOf(kSteady, one, "kernels.added > 0", added).state == State::kAccepted);
  CHECK(GateOf(kSteady, two, "kernels.added > 0", added).state == State::kFails);
  CHECK(GateOf(one, two, "kernels.added > 0", added).state == State::kFails);
  removed.accepted = AcceptancesOf(GateOf(two, one, "kernels.removed > 0"), how);
  CHECK(GateOf(two, one, "kernels.removed > 0", removed).state == State::kAccepted);
  CHECK(GateOf(two, kSteady, "kernels.removed > 0", removed).state == State::kFails);
  CHECK(GateOf(one, kSteady, "kernels.removed > 0", removed).state == State::kFails);
}

TEST_CASE("a run that ended early passes no limit by that", "[diff]") {
  const std::string base = "span 20000\nfound 20\ngpu T4\nkernel fwd/l/gemm = 16000 class=gemm\n";
  const std::string ended = "span 2000\nfound 2\ngpu T4\nkernel fwd/l/gemm = 1600 class=gemm\n";
  for (const char* limit : {"step > 3%", "step.median > 3%", "device > 3%", "kernels > 3%",
                            "kernel:* > 3%", "layer:* > 3%", "span > 3%", "wall > 3%"}) {
    INFO(limit);
    const GateResult gate = GateOf(base, ended, limit);
    CHECK(gate.state == State::kNoData);
    CHECK_THAT(gate.why, Catch::StartsWith("20 steps in a run before, 2 now"));
    CHECK(GateOf(ended, base, limit).state == State::kNoData);
  }
  CHECK(GateOf(base, ended, "kernels.added > 0").state == State::kHolds);
  const Compared warned(base, ended);
  CHECK(warned.c.warnings ==
        std::vector<std::string>{"20 steps in a run before, 2 now: whole GPU spans are compared"});
  // As long, or nobody knows.
  const std::string alike = "span 19000\nfound 19\ngpu T4\nkernel fwd/l/gemm = 1600 class=gemm\n";
  CHECK(GateOf(base, alike, "step > 30%").state == State::kHolds);
  CHECK(GateOf("span 20000\ngpu T4", "span 2000\ngpu T4", "step > 30%").state == State::kHolds);
  // Enough steps are left to tell what one takes, not what a run does.
  std::string fewer = "steps 1000 1001 999\nwhole 3000 3500\ngpu T4\n";
  const std::string steady = std::string(kSteady) + "whole 6000 6500\n";
  CHECK(GateOf(steady, fewer, "step > 3%").state == State::kHolds);
  CHECK(GateOf(steady, fewer, "span > 3%").state == State::kNoData);
}

TEST_CASE("what comes once in many steps is no growth beyond a limit", "[diff]") {
  const std::string steps = "steps 100 101 99 100 102 98 100 101 99 100 102 98\ngpu T4\n";
  const std::string once = steps + "copy fwd/l/memcpy = 0 0 0 0 0 9 0 0 0 0 0 0\n";
  const std::string always = steps + "copy fwd/l/memcpy = 9\n";
  const GateResult gate = GateOf(steps, once, "copies > 3%");
  CHECK(gate.state == State::kUndecided);
  CHECK(gate.why == "too seldom to be told from chance");
  CHECK(GateOf(steps, once, "copies > 5ns").state == State::kUndecided);
  CHECK(GateOf(steps, once, "copies > 10ns").state == State::kHolds);
  CHECK(GateOf(once, steps, "copies > 3%").state == State::kHolds);
  CHECK(GateOf(steps, always, "copies > 3%").state == State::kFails);
  CHECK(GateOf(steps, always, "copies > 8ns").state == State::kFails);
}

TEST_CASE("the median is limited in its own time", "[diff]") {
  // Outliers make the mean of the base four times its median.
  const std::string base = "steps 100 100 100 100 100 1900 100\ngpu T4\n";
  const std::string now = "steps 110 110 110 110 110 1910 110\ngpu T4\n";
  const GateResult gate = GateOf(base, now, "step.median > 20ns");
  CHECK(*gate.value == Approx(10));
  CHECK(gate.change == Approx(10));
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

}  // namespace
}  // namespace xsp
