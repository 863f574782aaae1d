#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;
using test::ReportText;

TEST_CASE("queue depth counts what was launched but has not begun") {
  // At 5, 7 and 9 calls return; their kernels begin at 5, 20 and 40.
  const Trace trace = MakeTrace(R"(
T1   0-5   api cudaLaunchKernel #1
T1   6-7   api cudaLaunchKernel #2
T1   8-9   api cudaLaunchKernel #3
S7   5-20  kernel a #1
S7  20-40  kernel a #2
S7  40-45  kernel a #3
)");
  const std::string text = ReportText(trace, "launch");
  CHECK(text.substr(0, text.find("\nDevice", 2)) == R"(
Device | Operations | Span (ns) | Empty (%) | Depth P50 | Depth P90 | Depth P99 | Depth Max
GPU (0) | 3 | 40 | 17.5 | 1 | 2 | 2 | 2)");
  // The first began as its call returned; the stream was busy at the return of the others.
  const std::string rows = ReportRows(trace, "launch");
  CHECK(rows.find("\nGPU (0) | idle | 1 | 0 | 0.0 | 0 | 0.0 | 0 | 0\n"
                  "GPU (0) | busy | 2 | 0 | 22.0 | 13 | 22.0 | 31 | 31\n") != std::string::npos);
  // Parts of 2 ns; the depth is 1 from 7 on.
  CHECK(
      rows.find(
          "\nGPU (0) | 5 | 2 | 0.0 | 0\nGPU (0) | 7 | 2 | 1.0 | 1\nGPU (0) | 9 | 2 | 2.0 | 2\n") !=
      std::string::npos);
}

TEST_CASE("a kernel that begins before its call returns has started early") {
  CHECK(ReportRows(MakeTrace(R"(
T1   0-10  api cudaLaunchKernel #1
S7   5-20  kernel a #1
)"),
                   "launch")
            .find("\nGPU (0) | idle | 1 | 1 | 0.0 | 0 | 0.0 | 0 | 0\n") != std::string::npos);
}

TEST_CASE("waits are told by their call and what they waited for") {
  CHECK(ReportText(MakeTrace(R"(
T1   0-2    api cudaLaunchKernel #1
T1   9-62   api cudaStreamSynchronize_v3020 #5
T1  10-60   sync stream=7 #5
T1  70-76   api cudaDeviceSynchronize_v3020 #6
T1  70-75   sync context #6
T1  80-90   api cuCtxSynchronize #7
S7   5-50   kernel a #1
S8  20-72   kernel b
)"),
                   "sync") == R"(
Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Device Busy (ns) | Waits For | Name
76.9 | 50 | 1 | 50.0 | 50.0 | 50 | 50 | 0.0 | 40 | stream 7 | cudaStreamSynchronize
15.4 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | 0 | not recorded | cuCtxSynchronize
7.7 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | 2 | all streams | cudaDeviceSynchronize
)");
}

TEST_CASE("allocated memory has a peak and an end, frees go by address") {
  const Trace trace = MakeTrace(R"(
T1   0-100  push all
D   10      alloc bytes=3000000 address=1
D   20      alloc bytes=2000000 address=2
D   50      free address=1 bytes=3000000
D   60      free address=9 bytes=1000000
)");
  const std::string text = ReportText(trace, "memory");
  CHECK(text.substr(0, text.find("\nPID", 2)) == R"(
PID | DevId | Memory Kind | Peak (MB) | Peak At (ns) | At End (MB) | Allocated (MB) | Allocations | Frees | Frees of Unknown
1 | 0 | Device | 5.000 | 20 | 2.000 | 5.000 | 2 | 2 | 1)");
  CHECK(ReportRows(trace, "memory").find("\n1 | 0 | Device | 20 | 5 | 5.000 | 5.000\n") !=
        std::string::npos);
}
