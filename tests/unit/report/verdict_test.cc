#include "report/summary/verdict.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "report/summary/next_steps.h"

namespace xsp {
namespace {

// A look at a second of one device, so many milliseconds of it idle for one cause.
FirstLook Look(std::vector<WorkRow> work, DurationNs idle_ms = 0,
               IdleCause cause = IdleCause::kHostGap) {
  constexpr DurationNs kMs = 1'000'000;
  FirstLook look;
  look.is_step = true;
  look.program = look.length = 1000 * kMs;
  look.idle = idle_ms * kMs;
  look.busy = look.length - look.idle;
  if (idle_ms > 0) look.causes = {{cause, look.idle}};
  for (WorkRow& row : work) {
    row.ns *= kMs;
    look.operations += row.count;
  }
  look.work = std::move(work);
  return look;
}

TEST_CASE("a verdict is the diagnosis, and what the devices do") {
  struct Case {
    FirstLook look;
    std::string verdict;
  };
  FirstLook one_kernel = Look({{WorkKind::kKernels, "kernels: other", 900, 3, 0}}, 100);
  one_kernel.kernels = {{"histogram", 800'000'000, 4}, {"scan", 100'000'000, 400}};
  FirstLook few_blocks = one_kernel;
  few_blocks.multiprocessors = 108;
  FirstLook two_kernels = Look({{WorkKind::kKernels, "kernels: other", 1000, 3, 0}});
  two_kernels.kernels = {{"force", 510'000'000, 99}, {"integrate", 480'000'000, 99}};
  FirstLook tiny = Look({{WorkKind::kKernels, "kernels: other", 0, 1, 0}});
  tiny.is_step = false;
  tiny.busy = 2300;
  tiny.program = 2'600'000'000;
  const Case cases[] = {
      {Look({}, 1000), "No work of a GPU was recorded here."},
      {tiny, "1 operation of 2.300 us, in 2.600 s: there is little to see on the GPU."},
      {Look({{WorkKind::kCopies, "copies: HtoD pageable", 960, 5, 1},
             {WorkKind::kKernels, "kernels: gemm", 40, 5, 0}}),
       "GPU-bound. Copies are 96 % of device time, mostly HtoD pageable."},
      {Look({{WorkKind::kGraphs, "graph launches", 990, 10, 0},
             {WorkKind::kKernels, "kernels: gemm", 10, 5, 0}}),
       "GPU-bound. 10 graph launches, recorded as one piece each, are 99 % of device time: record "
       "with --cuda-graph-trace=node."},
      {Look({{WorkKind::kKernels, "kernels: gemm", 440, 5, 0}}, 560), "GPU-bound."},
      {two_kernels, "GPU-bound."},
      {few_blocks,
       "GPU-bound. One kernel, histogram, is 89 % of device time, with 4 blocks on 108 "
       "multiprocessors."},
      {Look({{WorkKind::kTransfer, "collectives: transfer", 200, 5, 0},
             {WorkKind::kWaiting, "collectives: waiting for ranks", 300, 5, 0},
             {WorkKind::kKernels, "kernels: gemm", 500, 5, 0}}),
       "GPU-bound. 50 % of device time is collectives, 30 % waiting for other ranks."},
      {one_kernel, "GPU-bound. One kernel, histogram, is 89 % of device time."},
  };
  Diagnosis diagnosis;
  diagnosis.text = "GPU-bound.";
  for (const Case& c : cases) CHECK(VerdictOn(c.look, diagnosis, {}) == c.verdict);
}

TEST_CASE("matrix work in fp32 on a GPU with tensor cores is the first sentence") {
  Diagnosis diagnosis;
  diagnosis.what = Resource::kGpu;
  diagnosis.is_step = true;
  diagnosis.text = "GPU-bound: 96 % of the step waits for the GPU. 2 of 9 ms is one-time cost.";
  UnitFacts facts;
  facts.fp32_matrix = 0.91;
  facts.matrix_name = "sgemm";
  const FirstLook look = Look({{WorkKind::kKernels, "kernels: gemm", 1000, 5, 0}});
  CHECK(VerdictOn(look, diagnosis, facts) ==
        "GPU-bound, and in fp32: 91 % of the step is sgemm, which uses no tensor cores. 2 of 9 ms "
        "is one-time cost.");
  facts.fp32_matrix = 0.2;
  CHECK(VerdictOn(look, diagnosis, facts) == diagnosis.text);
  // Who waits for something else gains nothing from faster kernels.
  facts.fp32_matrix = 0.91;
  diagnosis.what = Resource::kHost;
  CHECK(VerdictOn(look, diagnosis, facts) == diagnosis.text);
}

TEST_CASE("a trace without work of a device says what is missing, and what there is") {
  HostLook host;
  CHECK(VerdictOnHost(host) == "No work of a GPU was recorded here.");
  host.ranges = {{"epoch", 2, 3'000'000}};
  CHECK(VerdictOnHost(host) ==
        "No CUDA was recorded here, only ranges. 2 ranges, together 3.000 ms, the longest of them "
        "epoch: 3.000 ms.");
  host.calls = {{"cudaLaunchKernel", 14432, 2'000'000'000}, {"cudaFree", 2, 1'000'000}};
  host.launches = 14432;
  CHECK(VerdictOnHost(host) ==
        "14,432 launches, no kernel rows: device activity was lost (WSL2, driver, permission). "
        "14,434 CUDA calls, together 2.001 s, the longest of them cudaLaunchKernel: 2.000 s.");
}

TEST_CASE("what to do next follows from what was found") {
  const auto graphs =
      NextSteps(Look({{WorkKind::kGraphs, "graph launches", 990, 10, 0}}), {}, {}, "t");
  CHECK(graphs.front().command == "nsys profile --cuda-graph-trace=node");
  const FirstLook waits = Look({{WorkKind::kKernels, "kernels: gemm", 440, 5, 0}}, 560);
  const auto idle = NextSteps(waits, {}, {}, "t");
  CHECK(idle.front().command == "xsp idle t");
  CHECK(idle.size() == 2);
  const auto copies =
      NextSteps(Look({{WorkKind::kCopies, "copies: HtoD pageable", 960, 5, 1}}), {}, {}, "t");
  CHECK(copies.front().command == "xsp leverage t");
}

TEST_CASE("habits that cost most come first, with what it gains to give them up") {
  const FirstLook look = Look({{WorkKind::kKernels, "kernels: gemm", 440, 5, 0}}, 560);
  auto rule = [](std::string_view name) {
    for (const HabitRule& one : AllHabitRules()) {
      if (one.name == name) return &one;
    }
    throw std::invalid_argument(std::string(name));
  };
  const auto next = NextSteps(look, {},
                              {{rule("tiny-launches"), 1200, 5'000'000, 0.31},
                               {rule("sync-calls"), 1, 5'000'000, 0.001},
                               {rule("sync-memsets"), 1, 200'000'000, std::nullopt}},
                              "t");
  REQUIRE(next.size() == 2);
  CHECK(next[0].command == "xsp whatif --cuda-graphs t");
  CHECK(next[0].why == "1,200 tiny kernels: graphs save 31 %");
  CHECK(next[1].command == "xsp leverage t");
  CHECK(next[1].why == "1 blocking memset: 200.0 ms a step");
  // Not more than the idle time.
  const auto much = NextSteps(look, {}, {{rule("sync-calls"), 30, 300'000'000, 0.9}}, "t");
  CHECK(much[0].why == "30 waits of the host: skipping saves 56 %");
  // Where nothing was simulated, the time that they took is told.
  const auto unknown =
      NextSteps(look, {}, {{rule("sync-calls"), 30, 300'000'000, std::nullopt}}, "t");
  CHECK(unknown[0].command == "xsp whatif --no-sync t");
  CHECK(unknown[0].why == "30 waits of the host: 300.0 ms a step");
}

}  // namespace
}  // namespace xsp
