#include "sim/diagnosis/fixes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "sim/diagnosis/outside_steps.h"
#include "sim/diagnosis/unit_facts.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// Three steps of five kernels of 2 us, each launched 20 us behind the one before.
std::string HostBound(std::string_view kernel) {
  std::string text;
  int id = 0;
  for (int step = 0; step < 3; ++step) {
    const int at = step * 110'000;
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 109'000) + " push \"step " +
            std::to_string(step + 1) + "\"\n";
    for (int i = 0; i < 5; ++i) {
      const int launch = at + 1000 + i * 20'000;
      ++id;
      text += "T1 " + std::to_string(launch) + "-" + std::to_string(launch + 4000) +
              " api cudaLaunchKernel #" + std::to_string(id) + "\n";
      text += "S7 " + std::to_string(launch + 5000) + "-" + std::to_string(launch + 7000) +
              " kernel " + std::string(kernel) + std::to_string(i) + " #" + std::to_string(id) +
              "\n";
    }
  }
  return text;
}

Diagnosis DiagnosisOf(Resource what, const Workbench& bench) {
  Diagnosis diagnosis;
  diagnosis.what = what;
  diagnosis.unit = bench.unit().measured;
  diagnosis.busy = 10'000;
  diagnosis.is_step = bench.unit().is_step;
  return diagnosis;
}

bool Offers(const Fixes& fixes, std::string_view whatif) {
  return std::any_of(fixes.best.begin(), fixes.best.end(), [&](const Fix& fix) {
    return std::any_of(fix.chosen.begin(), fix.chosen.end(),
                       [&](const ChosenWhatIf& one) { return one.whatif->name == whatif; });
  });
}

TEST_CASE("a step that waits for launches gets graphs, in the words of its program") {
  const TextWorkbench plain(HostBound("solve"));
  REQUIRE(plain.bench().unit().is_step);
  const Diagnosis diagnosis = DiagnosisOf(Resource::kHost, plain.bench());
  const Fixes fixes = FindFixes(plain.bench(), diagnosis, /*is_torch=*/false);
  REQUIRE_FALSE(fixes.best.empty());
  CHECK(fixes.best.size() <= 3);
  REQUIRE(Offers(fixes, "cuda-graphs"));
  const Fix& first = fixes.best.front();
  CHECK(first.before == plain.bench().unit().measured);
  CHECK(first.after < first.before);
  CHECK(first.speedup_low <= first.speedup);
  CHECK(first.speedup <= first.speedup_high);
  CHECK(fixes.why_none.empty());
  for (const Fix& fix : fixes.best) CHECK(fix.change.find("torch") == std::string::npos);
  const Fixes torch = FindFixes(plain.bench(), diagnosis, /*is_torch=*/true);
  const auto graphs = std::find_if(torch.best.begin(), torch.best.end(),
                                   [](const Fix& fix) { return fix.name == "CUDA graphs"; });
  REQUIRE(graphs != torch.best.end());
  CHECK(graphs->change == "torch.compile(mode='reduce-overhead')");
  CHECK(graphs->AsOptions().find("--cuda-graphs") != std::string::npos);
}

TEST_CASE("fixes are not offered twice, and each gains on top of what it is made with") {
  const TextWorkbench plain(HostBound("solve"));
  const Fixes fixes =
      FindFixes(plain.bench(), DiagnosisOf(Resource::kHost, plain.bench()), /*is_torch=*/false);
  for (const Fix& fix : fixes.best) {
    if (fix.with.empty()) continue;
    const auto base = std::find_if(fixes.best.begin(), fixes.best.end(),
                                   [&](const Fix& other) { return other.name == fix.with; });
    if (base != fixes.best.end()) CHECK(fix.speedup > base->speedup);
  }
}

// Kernels of 100 us that are queued long before: nothing to gain but by faster kernels.
constexpr std::string_view kQueued = R"(
  T1 0-1000         push "step 1"
  T1 100-200        api cudaLaunchKernel #1
  S7 6000-106000    kernel solve #1
  T1 1000-2000      push "step 2"
  T1 1100-1200      api cudaLaunchKernel #2
  S7 107000-207000  kernel solve #2
  T1 2000-3000      push "step 3"
  T1 2100-2200      api cudaLaunchKernel #3
  S7 208000-308000  kernel solve #3
  T1 3000-4000      push "step 4"
  T1 3100-3200      api cudaLaunchKernel #4
  S7 309000-409000  kernel solve #4)";

TEST_CASE("a program that is tuned already is told so") {
  const TextWorkbench tuned(kQueued);
  const Fixes fixes =
      FindFixes(tuned.bench(), DiagnosisOf(Resource::kGpu, tuned.bench()), /*is_torch=*/false);
  CHECK(fixes.best.empty());
  CHECK(fixes.why_none == "Nothing that xsp knows to try would gain more than 3 %.");
}

TEST_CASE("a loop that decides by what it reads is told to read it less often") {
  std::string text;
  for (int i = 0; i < 24; ++i) {
    const int at = i * 40'000;
    const std::string launch = std::to_string(2 * i + 1), read = std::to_string(2 * i + 2);
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 5000) +
            " api cudaLaunchKernel #" + launch + "\n";
    text += "S7 " + std::to_string(at + 6000) + "-" + std::to_string(at + 8000) +
            " kernel relax #" + launch + "\n";
    text += "T1 " + std::to_string(at + 6000) + "-" + std::to_string(at + 30'000) +
            " api cudaMemcpy #" + read + "\n";
    text += "S7 " + std::to_string(at + 9000) + "-" + std::to_string(at + 10'000) +
            " memcpy DtoH bytes=4 src=device dst=pageable #" + read + "\n";
  }
  const TextWorkbench loop(text);
  const Fixes fixes =
      FindFixes(loop.bench(), DiagnosisOf(Resource::kHost, loop.bench()), /*is_torch=*/false);
  CHECK(Offers(fixes, "read-every"));
  CHECK_FALSE(Offers(fixes, "no-sync"));
}

TEST_CASE("faster kernels are not worth it where nobody waits for them") {
  const TextWorkbench plain(HostBound("solve"));
  Diagnosis diagnosis = DiagnosisOf(Resource::kHost, plain.bench());
  diagnosis.busy = diagnosis.unit / 2;
  diagnosis.resources = {{Resource::kHost, diagnosis.unit, {}}, {Resource::kGpu, 100, {}}};
  const Fixes fixes = FindFixes(plain.bench(), diagnosis, /*is_torch=*/false);
  REQUIRE_FALSE(fixes.not_worth.empty());
  CHECK(fixes.not_worth.back().name == "faster kernels");
  CHECK(fixes.not_worth.back().why.find("at most 100 ns gained") != std::string::npos);
}

TEST_CASE("of several series it is told which was taken, and what lies outside") {
  std::string text;
  const auto add = [&](const std::string& name, int at, int id, int ns) {
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 9000) + " push \"" + name +
            "\"\nT1 " + std::to_string(at + 10) + "-" + std::to_string(at + 20) +
            " api cudaLaunchKernel #" + std::to_string(id) + "\nS7 " + std::to_string(at + 30) +
            "-" + std::to_string(at + 30 + ns) + " kernel k #" + std::to_string(id) + "\n";
  };
  for (int i = 0; i < 3; ++i) add("Step " + std::to_string(i), i * 10'000, i + 1, 1000);
  for (int i = 0; i < 4; ++i)
    add("evaluate " + std::to_string(i), 90'000 + i * 10'000, i + 10, 500);
  const TextWorkbench both(text);
  const OutsideSteps outside = LookOutsideSteps(both.hierarchy());
  CHECK(outside.taken == "Step #");
  CHECK(outside.share == Approx(0.4));
  CHECK(outside.largest == "evaluate *");
  CHECK(outside.largest_ns == 2000);
}

TEST_CASE("how far the host is ahead, and whose program it is, are read off the unit") {
  const TextWorkbench tuned(kQueued);
  const UnitFacts facts = FactsOf(tuned.bench(), tuned.hierarchy());
  CHECK_FALSE(facts.is_torch);
  REQUIRE(facts.host_ahead);
  CHECK(*facts.host_ahead > 100'000);
  const TextWorkbench torch(HostBound("at::native::add"));
  CHECK(IsOfTorch(torch.bench()));
}

}  // namespace
}  // namespace xsp
