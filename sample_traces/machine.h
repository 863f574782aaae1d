// A small machine: hosts, launch queue, streams, copy engines, multiprocessors. It runs a program
// and records what a profiler would have seen. Integers only, deterministic.
#pragma once

#include <cstdint>
#include <vector>

#include "sample_traces/program.h"
#include "sample_traces/recording.h"

namespace xsp::samples {

// The clock of one device as a profiler sees it: true time + offset + drift.
struct DeviceClock {
  int64_t offset_ns = 0;
  int64_t drift_ppb = 0;
};

// What things cost. Defaults are in the range that real machines show; all in nanoseconds unless
// the name says otherwise. "jitter" is in ‰ of the value.
// Whose commands share a launch queue, and when a place in it comes free.
enum class QueueKind : uint8_t {
  kRing,       // one per context; in the order in which places were taken
  kAnyOrder,   // one per context; with whichever command finishes
  kPerStream,  // one per stream
};

struct MachineConfig {
  uint64_t seed = 1;

  // Host.
  int64_t launch_ns = 4'300;  // own cost of a kernel launch
  int64_t copy_call_ns = 5'600;
  int64_t memset_call_ns = 3'700;
  int64_t event_call_ns = 1'300;
  int64_t sync_call_ns = 2'100;
  int64_t query_call_ns = 1'100;
  int64_t malloc_ns = 62'000;
  int64_t pool_malloc_ns = 1'900;  // cudaMallocAsync, cudaFreeAsync
  int64_t graph_launch_ns = 9'500;
  int64_t instantiate_ns = 180'000;
  int64_t nvtx_ns = 240;
  int64_t wake_ns = 26'000;      // a waiting thread runs again this long after the post
  int64_t signal_ns = 3'000;     // what a post takes that wakes somebody up
  bool launch_blocking = false;  // CUDA_LAUNCH_BLOCKING=1: launches return with their work
  int64_t lock_permille = 0;     // of a launch's cost, that one thread of a process has at a time
  int64_t lock_pass_ns = 300;    // from one thread to the next
  int64_t mpi_call_ns = 2'400;
  int64_t call_jitter = 130;
  int64_t work_jitter = 70;

  // Between host and device.
  int32_t queue_depth = 1'022;  // commands of one launch queue that may be outstanding
  QueueKind queue_kind = QueueKind::kRing;
  int64_t queue_tail_ns = 4'100;  // a blocked launch returns this long after its place came free
  int64_t submit_ns = 1'400;      // end of the call's own work → start on an idle stream
  int64_t stream_sync_tail_ns = 4'600;
  int64_t device_sync_tail_ns = 5'300;
  int64_t event_sync_tail_ns = 7'900;
  int64_t tail_jitter = 220;
  int64_t outliers = 0;  // ‰ of all latencies here and of all gaps below take some 20 µs more

  // Device.
  int64_t stream_gap_ns = 1'040;  // end of a command → start of the next of its stream
  int64_t event_gap_ns = 1'700;   // end of what a stream waited for → start of its next command
  int64_t graph_gap_ns = 620;     // between the nodes of a graph
  int64_t engine_gap_ns = 900;    // between two copies of one engine
  int64_t gap_jitter = 0;         // of the three before
  int64_t duration_jitter = 12;
  std::vector<DeviceClock> clocks;  // empty: small random ones
  std::vector<int64_t> slowness;    // ‰ of every kernel's duration, by device; missing: 1000

  // Copies: rates in bytes per microsecond.
  int64_t pinned_rate = 24'000;
  int64_t pageable_rate = 7'400;
  int64_t device_rate = 610'000;
  int64_t peer_rate = 52'000;
  int64_t host_rate = 11'000;  // memcpy by the host, when staging
  int64_t copy_base_ns = 1'250;
  int64_t copy_start_ns = 7'800;       // begin of a blocking copy call → start of the copy
  int64_t staging_start_ns = 124'000;  // the same for pageable to device above 1 MB
  int64_t staging_lead_ns = 34'000;    // such a call returns this long before its copy ends

  // One-time costs.
  int64_t context_ns = 68'000'000;  // creation of the context, in its first call
  int64_t cold_launch_ns = 41'000;  // first launch of a kernel in a process

  // Profiling.
  bool trace_graph_nodes = true;  // else one span for each graph launch
};

struct RunSummary {
  int64_t end_ns = 0;  // last thing that happened, on the host's clock
  int64_t kernels = 0;
};

// Runs the program to its end. Throws std::runtime_error when threads wait for each other for ever.
RunSummary Run(const Program& program, const MachineConfig& config, Recorder& recorder);

}  // namespace xsp::samples
