#include "tests/support/timeline.h"

#include <catch2/catch.hpp>

using namespace xsp;
using test::MakeTrace;

TEST_CASE("a timeline gives a trace with linked work", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1  0-100  push "step 1"
    T1  5-8    api cudaLaunchKernel #1     # launches gemm
    S7  10-30  kernel gemm<float> #1 grid=2x3 block=128
    T1  40-60  sync stream=7 #2
    T1  39-61  api cudaStreamSynchronize #2
  )");
  const EventId kernel = *trace.OfKind(EventKind::kKernel).begin();
  CHECK(trace.name(kernel) == "gemm<float>");
  CHECK(trace.strings()[trace.kernels().short_name[0]] == "gemm");
  CHECK(trace.kernels().grid_y[trace.Row(kernel)] == 3);
  CHECK(trace.name(trace.call_of(kernel)) == "cudaLaunchKernel");
  const EventId sync = *trace.OfKind(EventKind::kSync).begin();
  CHECK(trace.name(trace.call_of(sync)) == "cudaStreamSynchronize");
  CHECK(trace.track_of(sync) == trace.track_of(trace.call_of(sync)));
  CHECK(trace.track(trace.syncs().stream[0]).stream == 7);
  CHECK(trace.name(*trace.OfKind(EventKind::kNvtxPushPop).begin()) == "step 1");
}

TEST_CASE("tracks of other processes and devices stay apart", "[model]") {
  const Trace trace = MakeTrace(R"(
    P1.T1        0-5    api cudaLaunchKernel #1
    P2.T1        1-6    api cudaLaunchKernel #1
    P2.D1.C3.S7  10-20  kernel k #1
  )");
  const EventId kernel = *trace.OfKind(EventKind::kKernel).begin();
  CHECK(trace.process(trace.process_of(kernel)).pid == 2);
  CHECK(trace.process_of(trace.call_of(kernel)) == trace.process_of(kernel));
  CHECK(trace.track(trace.track_of(kernel)).device == 1);
  CHECK(trace.track(trace.track_of(kernel)).context == 3);
}

TEST_CASE("a line that makes no sense is named", "[model]") {
  CHECK_THROWS_WITH(MakeTrace("T1 0-5 dance"), Catch::Contains("dance"));
  CHECK_THROWS_WITH(MakeTrace("X1 0-5 api a"), Catch::Contains("unknown track"));
}
