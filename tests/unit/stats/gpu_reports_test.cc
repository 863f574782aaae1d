#include <catch2/catch.hpp>

#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;
using test::ReportText;

namespace {

// Two kernels of one template, one of another; copies both ways, a migration and a memset.
Trace SmallTrace() {
  return MakeTrace(R"(
T1   0-10  api cudaLaunchKernel_v7000 #1
T1  10-15  api cudaLaunchKernel_v7000 #2
T1  15-20  api cudaMemcpyAsync_v3020 #3
T1  20-90  api cudaGraphLaunch_v10000 #4
S7  10-40  kernel 'gemm<float>(float *)' #1 grid=2x3 block=128 regs=32 shared=49152
S7  40-50  kernel 'gemm<half>(half *)' #2 grid=2x3 block=128
S8  60-65  kernel 'relu(float *)' #4
S7  70-80  memcpy HtoD #3 bytes=1000000 src=pageable dst=device
S7  81-84  memcpy DtoH bytes=4096 src=device dst=pinned
M   85-90  migration HtoD bytes=65536
S7  90-92  memset bytes=62500
)");
}

}  // namespace

TEST_CASE("kernels are summed up by their full name, the largest total first") {
  CHECK(ReportText(SmallTrace(), "cuda_gpu_kern_sum") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
66.7 | 30 | 1 | 30.0 | 30.0 | 30 | 30 | 0.0 | gemm<float>(float *)
22.2 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | gemm<half>(half *)
11.1 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | relu(float *)
)");
}

TEST_CASE("base names put the instances of a template together") {
  CHECK(ReportRows(SmallTrace(), "cuda_gpu_kern_sum:base") == R"(
88.9 | 40 | 2 | 20.0 | 20.0 | 10 | 30 | 14.1 | gemm
11.1 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | relu
)");
}

TEST_CASE("without mangled names the demangled ones stand") {
  CHECK(ReportRows(SmallTrace(), "cuda_gpu_kern_sum:mangled") ==
        ReportRows(SmallTrace(), "cuda_gpu_kern_sum"));
}

TEST_CASE("grid and block tell kernels of one name apart") {
  CHECK(ReportText(SmallTrace(), "cuda_gpu_kern_gb_sum:base") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | GridXYZ | BlockXYZ | Name
88.9 | 40 | 2 | 20.0 | 20.0 | 10 | 30 | 14.1 |    2    3    1 |  128    1    1 | gemm
11.1 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 |    1    1    1 |    1    1    1 | relu
)");
}

TEST_CASE("migrations are copies in the sums by time and by size") {
  CHECK(ReportText(SmallTrace(), "cuda_gpu_mem_time_sum") == R"(
Time (%) | Total Time (ns) | Count | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Operation
50.0 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | [CUDA memcpy Host-to-Device]
25.0 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | [CUDA memcpy Unified Host-to-Device]
15.0 | 3 | 1 | 3.0 | 3.0 | 3 | 3 | 0.0 | [CUDA memcpy Device-to-Host]
10.0 | 2 | 1 | 2.0 | 2.0 | 2 | 2 | 0.0 | [CUDA memset]
)");
  CHECK(ReportText(SmallTrace(), "cuda_gpu_mem_size_sum") == R"(
Total (MB) | Count | Avg (MB) | Med (MB) | Min (MB) | Max (MB) | StdDev (MB) | Operation
1.000 | 1 | 1.000 | 1.000 | 1.000 | 1.000 | 0.000 | [CUDA memcpy Host-to-Device]
0.066 | 1 | 0.066 | 0.066 | 0.066 | 0.066 | 0.000 | [CUDA memcpy Unified Host-to-Device]
0.062 | 1 | 0.062 | 0.062 | 0.062 | 0.062 | 0.000 | [CUDA memset]
0.004 | 1 | 0.004 | 0.004 | 0.004 | 0.004 | 0.000 | [CUDA memcpy Device-to-Host]
)");
}

TEST_CASE("the combined sums share one list, with the category of each row") {
  CHECK(ReportText(SmallTrace(), "cuda_gpu_sum:base") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Category | Operation
61.5 | 40 | 2 | 20.0 | 20.0 | 10 | 30 | 14.1 | CUDA_KERNEL | gemm
15.4 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | MEMORY_OPER | [CUDA memcpy Host-to-Device]
7.7 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | MEMORY_OPER | [CUDA memcpy Unified Host-to-Device]
7.7 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | CUDA_KERNEL | relu
4.6 | 3 | 1 | 3.0 | 3.0 | 3 | 3 | 0.0 | MEMORY_OPER | [CUDA memcpy Device-to-Host]
3.1 | 2 | 1 | 2.0 | 2.0 | 2 | 2 | 0.0 | MEMORY_OPER | [CUDA memset]
)");
  CHECK(ReportRows(SmallTrace(), "cuda_api_gpu_sum:base").substr(0, 106) ==
        "\n45.2 | 70 | 1 | 70.0 | 70.0 | 70 | 70 | 0.0 | CUDA_API | cudaGraphLaunch_v10000\n"
        "25.8 | 40 | 2 | 20.0 | 20");
}

TEST_CASE("calls lose a version of four digits and keep one of five") {
  CHECK(ReportText(SmallTrace(), "cuda_api_sum") == R"(
Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
77.8 | 70 | 1 | 70.0 | 70.0 | 70 | 70 | 0.0 | cudaGraphLaunch_v10000
16.7 | 15 | 2 | 7.5 | 7.5 | 5 | 10 | 3.5 | cudaLaunchKernel
5.6 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | cudaMemcpyAsync
)");
}

TEST_CASE("the GPU trace lists all operations by begin, with what each kind has") {
  CHECK(ReportText(SmallTrace(), "cuda_gpu_trace:base") == R"(
Start (ns) | Duration (ns) | CorrId | GrdX | GrdY | GrdZ | BlkX | BlkY | BlkZ | Reg/Trd | StcSMem (MB) | DymSMem (MB) | Bytes (MB) | Throughput (MB/s) | SrcMemKd | DstMemKd | Device | Ctx | GreenCtx | Strm | Name
10 | 30 | 1 | 2 | 3 | 1 | 128 | 1 | 1 | 32 | 0.000 | 0.049 | - | - | - | - | GPU (0) | 1 | - | 7 | gemm
40 | 10 | 2 | 2 | 3 | 1 | 128 | 1 | 1 | 16 | 0.000 | 0.000 | - | - | - | - | GPU (0) | 1 | - | 7 | gemm
60 | 5 | 4 | 1 | 1 | 1 | 1 | 1 | 1 | 16 | 0.000 | 0.000 | - | - | - | - | GPU (0) | 1 | - | 8 | relu
70 | 10 | 3 | - | - | - | - | - | - | - | - | - | 1.000 | 100000000.000 | Pageable | Device | GPU (0) | 1 | - | 7 | [CUDA memcpy Host-to-Device]
81 | 3 | 0 | - | - | - | - | - | - | - | - | - | 0.004 | 1365333.332 | Device | Pinned | GPU (0) | 1 | - | 7 | [CUDA memcpy Device-to-Host]
85 | 5 | 0 | - | - | - | - | - | - | - | - | - | 0.066 | 13107200.000 | Device | Device | GPU (0) | 0 | - | 0 | [CUDA memcpy Unified Host-to-Device]
90 | 2 | 0 | - | - | - | - | - | - | - | - | - | 0.062 | 31250000.000 | Device | - | GPU (0) | 1 | - | 7 | [CUDA memset]
)");
}

TEST_CASE("throughput loses the digits that an integer division loses") {
  const Trace trace = MakeTrace("S7 1134711990-1135373388 memcpy HtoD bytes=4194304\n");
  TraceIndexes indexes(trace);
  const auto tables = RunReport(ParseReportRequest("cuda_gpu_trace"), EventSelection(trace),
                                GroupBy::kNothing, indexes);
  // As NVIDIA's tool (2026.3.1) printed it for this copy; the true quotient is 6341.573.
  CHECK(tables[0].Real(0, 13) == 6337.593);
}

TEST_CASE("the trace of calls tells the process, the thread and the result") {
  CHECK(ReportText(MakeTrace("P3.T9 5-8 api cudaMalloc_v3020 #4 returns=2\n"), "cuda_api_trace") ==
        R"(
Start (ns) | Duration (ns) | Name | Result | CorrID | Pid | Tid | T-Pri | Thread Name
5 | 3 | cudaMalloc | 2 | 4 | 3 | 9 | - | 
)");
}
