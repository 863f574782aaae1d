#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;
using test::ReportText;

namespace {

// The second kernel begins before its call returns; the third has no call.
Trace Launches() {
  return MakeTrace(R"(
T1   0-10  api cudaLaunchKernel_v7000 #1
T1  20-40  api cudaLaunchKernel_v7000 #2
T2  50-60  api cuLaunchKernel #4
S7  15-30  kernel gemm #1 grid=2 block=64
S7  35-37  kernel gemm #2 grid=2 block=64
S7  40-41  kernel gemm #3
S9  90-95  kernel relu #4
)");
}

}  // namespace

TEST_CASE("a kernel that begins before its call returns has no queue time") {
  CHECK(ReportText(Launches(), "cuda_kern_exec_trace") == R"(
API Start (ns) | API Dur (ns) | Queue Start (ns) | Queue Dur (ns) | Kernel Start (ns) | Kernel Dur (ns) | Total Dur (ns) | PID | TID | DevId | API Function | GridXYZ | BlockXYZ | Kernel Name
0 | 10 | 10 | 5 | 15 | 15 | 30 | 1 | 1 | 0 | cudaLaunchKernel |    2    1    1 |   64    1    1 | gemm
20 | 20 | - | - | 35 | 2 | 20 | 1 | 1 | 0 | cudaLaunchKernel |    2    1    1 |   64    1    1 | gemm
50 | 10 | 60 | 30 | 90 | 5 | 45 | 1 | 2 | 0 | cuLaunchKernel |    1    1    1 |    1    1    1 | relu
)");
}

TEST_CASE("launches are summed up by thread, device, call and kernel, the longest first") {
  CHECK(ReportText(Launches(), "cuda_kern_exec_sum") == R"(
PID | TID | DevId | Count | QCount | TAvg (ns) | TMed (ns) | TMin (ns) | TMax (ns) | TStdDev (ns) | AAvg (ns) | AMed (ns) | AMin (ns) | AMax (ns) | AStdDev (ns) | QAvg (ns) | QMed (ns) | QMin (ns) | QMax (ns) | QStdDev (ns) | KAvg (ns) | KMed (ns) | KMin (ns) | KMax (ns) | KStdDev (ns) | API Name | Kernel Name
1 | 2 | 0 | 1 | 1 | 45.0 | 45.0 | 45 | 45 | 0.0 | 10.0 | 10.0 | 10 | 10 | 0.0 | 30.0 | 30.0 | 30 | 30 | 0.0 | 5.0 | 5.0 | 5 | 5 | 0.0 | cuLaunchKernel | relu
1 | 1 | 0 | 2 | 1 | 25.0 | 25.0 | 20 | 30 | 7.1 | 15.0 | 15.0 | 10 | 20 | 7.1 | 5.0 | 5.0 | 5 | 5 | 0.0 | 8.5 | 8.5 | 2 | 15 | 9.2 | cudaLaunchKernel | gemm
)");
}

TEST_CASE("queue times that never were are unknown, not zero") {
  CHECK(ReportRows(MakeTrace(R"(
T1   0-10  api cudaLaunchKernel #1
S7   5-6   kernel gemm #1
)"),
                   "cuda_kern_exec_sum") == R"(
1 | 1 | 0 | 1 | 0 | 10.0 | 10.0 | 10 | 10 | 0.0 | 10.0 | 10.0 | 10 | 10 | 0.0 | - | - | - | - | - | 1.0 | 1.0 | 1 | 1 | 0.0 | cudaLaunchKernel | gemm
)");
}

TEST_CASE("calls of another process with the same correlation id are not joined") {
  CHECK(ReportRows(MakeTrace(R"(
T1      0-10  api cudaLaunchKernel #1
P2.T1   0-20  api cuLaunchKernel #1
P2.S7  30-31  kernel gemm #1
)"),
                   "cuda_kern_exec_trace") == R"(
0 | 20 | 20 | 10 | 30 | 1 | 31 | 2 | 1 | 0 | cuLaunchKernel |    1    1    1 |    1    1    1 | gemm
)");
}
