#include "report/verdict.h"

#include <catch2/catch.hpp>

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

TEST_CASE("a verdict names what decides") {
  struct Case {
    FirstLook look;
    std::string verdict;
  };
  FirstLook one_kernel = Look({{WorkKind::kKernels, "kernels: other", 900, 3, 0}}, 100);
  one_kernel.top_kernel = "histogram";
  one_kernel.top_kernel_ns = 800'000'000;
  FirstLook tiny = Look({{WorkKind::kKernels, "kernels: other", 0, 1, 0}});
  tiny.is_step = false;
  tiny.busy = 2300;
  tiny.program = 2'600'000'000;
  const Case cases[] = {
      {Look({}, 1000), "No work of a GPU was recorded here."},
      {tiny, "1 operation of 2.300 us, in 2.600 s: there is little to see on the GPU."},
      {Look({{WorkKind::kCopies, "copies: HtoD pageable", 960, 5, 1},
             {WorkKind::kKernels, "kernels: gemm", 40, 5, 0}}),
       "Copies decide: 96 % of device time, mostly HtoD pageable. The GPU is busy 100 % of the "
       "step."},
      {Look({{WorkKind::kGraphs, "graph launches", 990, 10, 0},
             {WorkKind::kKernels, "kernels: gemm", 10, 5, 0}}),
       "10 graph launches, opaque, are 99 % of device time: record with --cuda-graph-trace=node. "
       "The GPU is busy 100 % of the step."},
      {Look({{WorkKind::kKernels, "kernels: gemm", 440, 5, 0}}, 560),
       "Host-bound: the GPU is idle 56 % of the step, while the host does something between two "
       "CUDA calls. Device time: gemm kernels 100 %."},
      {Look({{WorkKind::kTransfer, "collectives: transfer", 200, 5, 0},
             {WorkKind::kWaiting, "collectives: waiting for ranks", 300, 5, 0},
             {WorkKind::kKernels, "kernels: gemm", 500, 5, 0}}),
       "Communication decides: 50 % of device time is collectives, 30 % waiting for other ranks. "
       "The GPU is busy 100 % of the step."},
      {one_kernel,
       "One kernel decides: histogram, 89 % of device time. Host-bound: the GPU is idle 10 % of "
       "the step, while the host does something between two CUDA calls."},
  };
  for (const Case& c : cases) CHECK(VerdictOn(c.look) == c.verdict);
}

TEST_CASE("what to do next follows from what was found") {
  const auto graphs = NextSteps(Look({{WorkKind::kGraphs, "graph launches", 990, 10, 0}}), "t");
  CHECK(graphs.front().command == "nsys profile --cuda-graph-trace=node …");
  const auto idle = NextSteps(Look({{WorkKind::kKernels, "kernels: gemm", 440, 5, 0}}, 560), "t");
  CHECK(idle.front().command == "xsp idle t");
  CHECK(idle.size() == 3);
  const auto copies =
      NextSteps(Look({{WorkKind::kCopies, "copies: HtoD pageable", 960, 5, 1}}), "t");
  CHECK(copies.front().command == "xsp leverage t");
}

}  // namespace
}  // namespace xsp
