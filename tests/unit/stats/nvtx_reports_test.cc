#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;
using test::ReportText;

namespace {

// A step with two nested ranges, the last kernel of which runs after the step has ended on the
// host; a start/end range across it, in a domain of its own; a launch outside of all.
Trace Step() {
  return MakeTrace(R"(
T1    0-100  push step
T1   10-40   push load
T1   50-90   push solve
T1   30-60   startend copy domain=IO
T1   12-14   api cudaMemcpyAsync #1
T1   52-54   api cudaLaunchKernel #2
T1   56-59   api cudaLaunchKernel #3
T1  120-125  api cudaLaunchKernel #4
S7   15-35   memcpy HtoD #1 bytes=8
S7   60-80   kernel gemm<float> #2
S7   80-130  kernel gemm<half> #3
S7  140-150  kernel relu #4
)");
}

}  // namespace

TEST_CASE("ranges are labelled by domain and text, nested time counts again") {
  CHECK(ReportText(Step(), "nvtx_sum") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Style | Range
50.0 | 100 | 1 | 100.0 | 100.0 | 100 | 100 | 0.0 | PushPop | :step
20.0 | 40 | 1 | 40.0 | 40.0 | 40 | 40 | 0.0 | PushPop | :solve
15.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | PushPop | :load
15.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | StartEnd | IO:copy
)");
}

TEST_CASE("each style of ranges has a report of its own") {
  CHECK(ReportText(Step(), "nvtx_pushpop_sum") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Range
58.8 | 100 | 1 | 100.0 | 100.0 | 100 | 100 | 0.0 | :step
23.5 | 40 | 1 | 40.0 | 40.0 | 40 | 40 | 0.0 | :solve
17.6 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | :load
)");
  CHECK(ReportRows(Step(), "nvtx_startend_sum") == R"(
100.0 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | IO:copy
)");
}

TEST_CASE("domains of the same name in two processes are one row") {
  CHECK(ReportRows(MakeTrace(R"(
T1     0-10  push a domain=X
P2.T1  0-20  push a domain=X
)"),
                   "nvtx_pushpop_sum") == R"(
100.0 | 30 | 2 | 15.0 | 15.0 | 10 | 20 | 7.1 | X:a
)");
}

TEST_CASE("the push/pop trace tells children, stack and tree") {
  CHECK(ReportText(MakeTrace(R"(
T1    0-100  push step
T1   10-40   push load
T1   20-30   push read
T1   50-90   push solve
T2    5-6    push other
)"),
                   "nvtx_pushpop_trace") == R"(
Start (ns) | End (ns) | Duration (ns) | DurChild (ns) | DurNonChild (ns) | Name | PID | TID | Lvl | NumChild | RangeId | ParentId | RangeStack | NameTree
0 | 100 | 100 | 70 | 30 | :step | 1 | 1 | 0 | 2 | 0 | - | :0 | :step
5 | 6 | 1 | 0 | 1 | :other | 1 | 2 | 0 | 0 | 4 | - | :4 | :other
10 | 40 | 30 | 10 | 20 | :load | 1 | 1 | 1 | 1 | 1 | 0 | :0:1 | --:load
20 | 30 | 10 | 0 | 10 | :read | 1 | 1 | 2 | 0 | 2 | 1 | :0:1:2 | ----:read
50 | 90 | 40 | 0 | 40 | :solve | 1 | 1 | 1 | 0 | 3 | 0 | :0:3 | --:solve
)");
}

TEST_CASE("a projection spans the work launched in a range, whenever that ran") {
  CHECK(ReportText(Step(), "nvtx_gpu_proj_trace") == R"(
Name | Projected Start (ns) | Projected Duration (ns) | Orig Start (ns) | Orig Duration (ns) | Style | PID | TID | NumGPUOps | Lvl | NumChild | RangeId | ParentId | RangeStack
:step | 15 | 115 | 0 | 100 | PushPop | 1 | 1 | 3 | 0 | 2 | 0 | - | :0
:load | 15 | 20 | 10 | 30 | PushPop | 1 | 1 | 1 | 1 | 0 | 1 | 0 | :0:1
:solve | 60 | 70 | 50 | 40 | PushPop | 1 | 1 | 2 | 1 | 0 | 2 | 0 | :0:2
IO:copy | 60 | 70 | 30 | 30 | StartEnd | 1 | 1 | 2 | 0 | 0 | 3 | - | :3
)");
}

TEST_CASE("projections are summed up by range, the largest total first") {
  CHECK(ReportText(Step(), "nvtx_gpu_proj_sum") == R"(
Range | Style | Total Proj Time (ns) | Total Range Time (ns) | Range Instances | Proj Avg (ns) | Proj Med (ns) | Proj Min (ns) | Proj Max (ns) | Proj StdDev (ns) | Total GPU Ops | Avg GPU Ops | Avg Range Lvl | Avg Num Child
:step | PushPop | 115 | 100 | 1 | 115.0 | 115.0 | 115 | 115 | 0.0 | 3 | 3.0 | 0.0 | 2.0
:solve | PushPop | 70 | 40 | 1 | 70.0 | 70.0 | 70 | 70 | 0.0 | 2 | 2.0 | 1.0 | 0.0
IO:copy | StartEnd | 70 | 30 | 1 | 70.0 | 70.0 | 70 | 70 | 0.0 | 2 | 2.0 | 0.0 | 0.0
:load | PushPop | 20 | 30 | 1 | 20.0 | 20.0 | 20 | 20 | 0.0 | 1 | 1.0 | 1.0 | 0.0
)");
}

TEST_CASE("a graph launch is one operation of its range, however many kernels it ran") {
  CHECK(ReportRows(MakeTrace(R"(
T1   0-10  push replay
T1   2-4   api cudaGraphLaunch #1
S7   5-6   kernel a #1
S7   6-9   kernel b #1
)"),
                   "nvtx_gpu_proj_trace") == R"(
:replay | 5 | 4 | 0 | 10 | PushPop | 1 | 1 | 1 | 0 | 0 | 0 | - | :0
)");
}

TEST_CASE("a kernel counts in every range around its launch, else in none") {
  CHECK(ReportText(Step(), "nvtx_kern_sum:base") == R"(
NVTX Range | Style | PID | TID | NVTX Inst | Kern Inst | Total Time (ns) | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Kernel Name
:step | PushPop | 1 | 1 | 1 | 2 | 70 | 35.0 | 35.0 | 20 | 50 | 21.2 | gemm
IO:copy | StartEnd | 1 | 1 | 1 | 2 | 70 | 35.0 | 35.0 | 20 | 50 | 21.2 | gemm
:solve | PushPop | 1 | 1 | 1 | 2 | 70 | 35.0 | 35.0 | 20 | 50 | 21.2 | gemm
- | - | 1 | 1 | 0 | 1 | 10 | 10.0 | 10.0 | 10 | 10 | 0.0 | relu
)");
}

TEST_CASE("a kernel without its launch is in no range and on no thread") {
  CHECK(ReportRows(MakeTrace("S7 5-6 kernel a\nT1 0-9 push x\n"), "nvtx_kern_sum") == R"(
- | - | - | - | 0 | 1 | 1 | 1.0 | 1.0 | 1 | 1 | 0.0 | a
)");
}

TEST_CASE("the innermost range stands before the kernel's name") {
  CHECK(ReportRows(Step(), "cuda_gpu_kern_sum:base:nvtx-name") == R"(
87.5 | 70 | 2 | 35.0 | 35.0 | 20 | 50 | 21.2 | copy/gemm
12.5 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | relu
)");
}
