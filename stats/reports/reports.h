#pragma once

#include <vector>

#include "stats/report_input.h"
#include "stats/stats_table.h"

// One function per report. NVIDIA's reports follow NVIDIA's rules, also where those surprise:
// shares are shares of the listed rows, ordered by total time; rows of backtraces count as calls;
// nested ranges count their time again.
namespace xsp {

// CUDA calls: api_reports.cc.
StatsTable CudaApiSum(const ReportInput& in);
StatsTable CudaApiTrace(const ReportInput& in);

// Kernels, copies and memsets: gpu_reports.cc.
StatsTable CudaGpuKernSum(const ReportInput& in);
StatsTable CudaGpuKernGbSum(const ReportInput& in);
StatsTable CudaGpuMemTimeSum(const ReportInput& in);
StatsTable CudaGpuMemSizeSum(const ReportInput& in);
StatsTable CudaGpuSum(const ReportInput& in);
StatsTable CudaApiGpuSum(const ReportInput& in);

// gpu_trace.cc.
StatsTable CudaGpuTrace(const ReportInput& in);

// Launches with their kernels: kernel_exec.cc.
StatsTable CudaKernExecSum(const ReportInput& in);
StatsTable CudaKernExecTrace(const ReportInput& in);

// NVTX ranges on the host: nvtx_reports.cc.
StatsTable NvtxSum(const ReportInput& in);
StatsTable NvtxPushPopSum(const ReportInput& in);
StatsTable NvtxStartEndSum(const ReportInput& in);
StatsTable NvtxPushPopTrace(const ReportInput& in);

// NVTX ranges with the device work launched in them: nvtx_projection.cc, nvtx_kernels.cc.
StatsTable NvtxGpuProjSum(const ReportInput& in);
StatsTable NvtxGpuProjTrace(const ReportInput& in);
StatsTable NvtxKernSum(const ReportInput& in);

// The rest of the host: host_reports.cc.
StatsTable OsrtSum(const ReportInput& in);
StatsTable MpiEventSum(const ReportInput& in);
StatsTable OpenMpSum(const ReportInput& in);
StatsTable OpenAccSum(const ReportInput& in);

// Unified memory: unified_memory.cc.
StatsTable UmSum(const ReportInput& in);
StatsTable UmTotalSum(const ReportInput& in);

// What NVIDIA's tool does not print.

// launch.cc. Three views of how the host keeps the device supplied.
// - Depth, per GPU: the number of operations that the host had launched (their call had returned)
//   but that had not begun: percentiles over time between the first and the last operation, and the
//   share of that time in which it was zero.
// - Depth over time: its mean and maximum in each of up to 20 equal parts of that time.
// - Latency, per GPU: from the end of the call to the begin of its kernel. "idle stream":
// everything
//   launched to the stream earlier had finished when the call ended; "busy stream": the rest. A
//   kernel that began before its call returned counts as started early, with latency 0.
StatsTable LaunchDepth(const ReportInput& in);
StatsTable LaunchDepthOverTime(const ReportInput& in);
StatsTable LaunchLatency(const ReportInput& in);

// sync.cc. Waits by the call that waited and by what it waited for. Device Busy: how much of the
// time the awaited stream (or the context's streams) was working. Calls named ...Synchronize for
// which the trace has no wait are listed with an unknown target.
StatsTable SyncSum(const ReportInput& in);

// memory_usage.cc. Allocated device memory as recorded by --cuda-memory-usage: per process and
// device the peak, when it was, what was still allocated at the end, and how many allocations and
// frees there were; and the level at the end of each of up to 20 equal parts of the time.
StatsTable MemoryUsage(const ReportInput& in);
StatsTable MemoryOverTime(const ReportInput& in);

// metrics.cc. What nsys sampled of hardware counters (--gpu-metrics-devices), by device and name:
// values as the metric's name says, percent or raw.
StatsTable MetricSum(const ReportInput& in);

}  // namespace xsp
