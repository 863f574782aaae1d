#include "stats/selection.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;
using test::ReportText;

namespace {

Trace TwoProcesses() {
  return MakeTrace(R"(
T1          0-4    api cudaLaunchKernel #1
T2          4-6    api cudaLaunchKernel #2
P2.T1       0-9    api cudaMalloc #1
D0.C1.S7    5-15   kernel a #1
D1.C2.S8   10-40   kernel a #2
P2.S7      20-30   kernel b
T1          0-99   push step
)");
}

}  // namespace

TEST_CASE("percentages of a split report are shares of their group") {
  CHECK(ReportText(TwoProcesses(), "cuda_gpu_kern_sum", GroupBy::kDevice) == R"(
Device | Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
GPU (0) | 50.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | a
GPU (0) | 50.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | b
GPU (1) | 100.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | a
)");
}

TEST_CASE("device work belongs to the thread that launched it, what nobody launched to none") {
  CHECK(ReportRows(TwoProcesses(), "cuda_gpu_kern_sum", GroupBy::kThread) == R"(
pid 1 tid 1 | 100.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | a
pid 1 tid 2 | 100.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | a
- | 100.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | b
)");
}

TEST_CASE("calls belong to the device and stream of what they launched") {
  CHECK(ReportRows(TwoProcesses(), "cuda_api_sum", GroupBy::kDevice) == R"(
GPU (0) | 100.0 | 4 | 1 | 4.0 | 4.0 | 4 | 4 | 0.0 | cudaLaunchKernel
GPU (1) | 100.0 | 2 | 1 | 2.0 | 2.0 | 2 | 2 | 0.0 | cudaLaunchKernel
- | 100.0 | 9 | 1 | 9.0 | 9.0 | 9 | 9 | 0.0 | cudaMalloc
)");
  CHECK(ReportRows(TwoProcesses(), "cuda_gpu_kern_sum:base", GroupBy::kStream) == R"(
pid 1 device 0 context 1 stream 7 | 100.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | a
pid 1 device 1 context 2 stream 8 | 100.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | a
pid 2 device 0 context 1 stream 7 | 100.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | b
)");
}

TEST_CASE("a projection can be split by the device that ran the work") {
  CHECK(ReportRows(TwoProcesses(), "nvtx_gpu_proj_trace", GroupBy::kDevice) == R"(
GPU (0) | :step | 5 | 10 | 0 | 99 | PushPop | 1 | 1 | 1 | 0 | 0 | 6 | - | :6
)");
}

TEST_CASE("the groups of a selection hold every event once") {
  const Trace trace = TwoProcesses();
  for (GroupBy by : {GroupBy::kDevice, GroupBy::kProcess, GroupBy::kStream, GroupBy::kThread}) {
    std::size_t events = 0;
    for (const EventGroup& group : Split(EventSelection(trace), by)) {
      for (EventKind kind : AllEventKinds()) events += group.events.Count(kind);
    }
    CHECK(events == trace.event_count());
  }
}
