#pragma once

#include <cstdint>

#include "model/column.h"
#include "model/ids.h"

// The things that events happen in: processes, tracks, GPUs, contexts, NVTX domains.
// Small tables, one struct per row.
namespace xsp {

// A process. `global_id` is unique over hosts and VMs where the pid is not: it is nsys' upper 40
// bits (pid, VM, hardware) with the thread bits zero.
struct Process {
  std::uint64_t global_id = 0;
  std::uint32_t pid = 0;
  StringId name = {};
  std::uint32_t rank = kMissing<std::uint32_t>;  // In a distributed job.

  bool operator==(const Process&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"global_id", "", "Unique over hosts and virtual machines.", &Process::global_id});
    f(Column{"pid", "", "Process id.", &Process::pid});
    f(Column{"name", "", "Its name: a row of strings.", &Process::name, Nulls::kAllowed});
    f(Column{"rank", "", "Its rank in a distributed job, where the source says.", &Process::rank,
             Nulls::kAllowed});
  }
};

enum class TrackKind : std::uint8_t {
  kProcess = 0,  // Events of a process that name no thread.
  kThread,
  kStream,     // (process, device, context, stream).
  kMigration,  // Unified-memory migrations of one (process, device); they belong to no stream.
  kDevice,     // Memory operations and faults of one (process, device).
  kMetrics,    // Sampled counters of one GPU.
};

enum class StreamFlag : std::uint8_t { kUnknown = 0, kBlocking, kNonBlocking, kNull };

// A row of the timeline: events on one track are ordered in time (not always free of overlap).
// The key is everything down to `stream`; fields that do not apply hold kMissing.
struct Track {
  TrackKind kind = TrackKind::kProcess;
  ProcessId process = {};
  std::uint32_t thread = kMissing<std::uint32_t>;   // Thread id (threads only).
  std::uint32_t device = kMissing<std::uint32_t>;   // CUDA ordinal inside the process.
  std::uint32_t context = kMissing<std::uint32_t>;  // CUDA context, per process.
  std::uint32_t stream = kMissing<std::uint32_t>;   // CUDA stream, per process and context.
  // Not part of the key:
  GpuId gpu = {};
  StringId name = {};
  std::int32_t priority = kMissing<std::int32_t>;  // Of a thread or a stream.
  StreamFlag flag = StreamFlag::kUnknown;

  bool operator==(const Track&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"kind", "", "0 process, 1 thread, 2 stream, 3 migrations, 4 device, 5 metrics.",
             &Track::kind});
    f(Column{"process", "", "A row of processes.", &Track::process, Nulls::kAllowed});
    f(Column{"thread", "", "Thread id.", &Track::thread, Nulls::kAllowed});
    f(Column{"device", "", "CUDA device ordinal inside the process.", &Track::device,
             Nulls::kAllowed});
    f(Column{"context", "", "CUDA context, per process.", &Track::context, Nulls::kAllowed});
    f(Column{"stream", "", "CUDA stream, per process and context.", &Track::stream,
             Nulls::kAllowed});
    f(Column{"gpu", "", "The physical GPU: a row of gpus.", &Track::gpu, Nulls::kAllowed});
    f(Column{"name", "", "Thread or stream name: a row of strings.", &Track::name,
             Nulls::kAllowed});
    f(Column{"priority", "", "Thread or stream priority.", &Track::priority, Nulls::kAllowed});
    f(Column{"flag", "", "Stream: 0 unknown, 1 blocking, 2 non-blocking, 3 the null stream.",
             &Track::flag});
  }
};

// A physical GPU and the limits that decide what fits on it. kMissing: the export did not say.
struct Gpu {
  std::uint32_t source_id = kMissing<std::uint32_t>;
  std::uint32_t cuda_ordinal = kMissing<std::uint32_t>;
  StringId name = {};
  StringId bus = {};
  StringId uuid = {};
  StringId chip = {};
  std::uint32_t sm_count = kMissing<std::uint32_t>;
  std::uint64_t memory_bytes = kMissing<std::uint64_t>;
  std::uint64_t memory_bandwidth = kMissing<std::uint64_t>;
  std::uint64_t l2_bytes = kMissing<std::uint64_t>;
  std::uint64_t clock_hz = kMissing<std::uint64_t>;
  std::uint32_t compute_major = kMissing<std::uint32_t>;
  std::uint32_t compute_minor = kMissing<std::uint32_t>;
  std::uint32_t threads_per_warp = kMissing<std::uint32_t>;
  std::uint32_t max_warps_per_sm = kMissing<std::uint32_t>;
  std::uint32_t max_blocks_per_sm = kMissing<std::uint32_t>;
  std::uint32_t max_threads_per_block = kMissing<std::uint32_t>;
  std::uint32_t max_registers_per_block = kMissing<std::uint32_t>;
  std::uint32_t max_registers_per_sm = kMissing<std::uint32_t>;
  std::uint32_t max_shared_per_block = kMissing<std::uint32_t>;
  std::uint32_t max_shared_per_sm = kMissing<std::uint32_t>;
  std::uint32_t async_engines = kMissing<std::uint32_t>;

  bool operator==(const Gpu&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"source_id", "", "The source's own GPU id.", &Gpu::source_id, Nulls::kAllowed});
    f(Column{"cuda_ordinal", "", "System-wide CUDA ordinal.", &Gpu::cuda_ordinal, Nulls::kAllowed});
    f(Column{"name", "", "Model: a row of strings.", &Gpu::name, Nulls::kAllowed});
    f(Column{"bus", "", "PCI location: a row of strings.", &Gpu::bus, Nulls::kAllowed});
    f(Column{"uuid", "", "UUID: a row of strings.", &Gpu::uuid, Nulls::kAllowed});
    f(Column{"chip", "", "Chip name: a row of strings.", &Gpu::chip, Nulls::kAllowed});
    f(Column{"sm_count", "", "Streaming multiprocessors.", &Gpu::sm_count, Nulls::kAllowed});
    f(Column{"memory_bytes", "bytes", "Device memory.", &Gpu::memory_bytes, Nulls::kAllowed});
    f(Column{"memory_bandwidth", "bytes/s", "Peak memory bandwidth.", &Gpu::memory_bandwidth,
             Nulls::kAllowed});
    f(Column{"l2_bytes", "bytes", "L2 cache.", &Gpu::l2_bytes, Nulls::kAllowed});
    f(Column{"clock_hz", "Hz", "Core clock.", &Gpu::clock_hz, Nulls::kAllowed});
    f(Column{"compute_major", "", "Compute capability, major.", &Gpu::compute_major,
             Nulls::kAllowed});
    f(Column{"compute_minor", "", "Compute capability, minor.", &Gpu::compute_minor,
             Nulls::kAllowed});
    f(Column{"threads_per_warp", "", "Warp size.", &Gpu::threads_per_warp, Nulls::kAllowed});
    f(Column{"max_warps_per_sm", "", "Limit.", &Gpu::max_warps_per_sm, Nulls::kAllowed});
    f(Column{"max_blocks_per_sm", "", "Limit.", &Gpu::max_blocks_per_sm, Nulls::kAllowed});
    f(Column{"max_threads_per_block", "", "Limit.", &Gpu::max_threads_per_block, Nulls::kAllowed});
    f(Column{"max_registers_per_block", "", "Limit.", &Gpu::max_registers_per_block,
             Nulls::kAllowed});
    f(Column{"max_registers_per_sm", "", "Limit.", &Gpu::max_registers_per_sm, Nulls::kAllowed});
    f(Column{"max_shared_per_block_bytes", "bytes", "Limit.", &Gpu::max_shared_per_block,
             Nulls::kAllowed});
    f(Column{"max_shared_per_sm_bytes", "bytes", "Limit.", &Gpu::max_shared_per_sm,
             Nulls::kAllowed});
    f(Column{"async_engines", "", "Copy engines.", &Gpu::async_engines, Nulls::kAllowed});
  }
};

// A CUDA context of a process.
struct Context {
  ProcessId process = {};
  std::uint32_t id = kMissing<std::uint32_t>;
  std::uint32_t device = kMissing<std::uint32_t>;
  std::uint32_t null_stream = kMissing<std::uint32_t>;
  std::uint32_t parent = kMissing<std::uint32_t>;
  std::uint8_t is_green = 0;

  bool operator==(const Context&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"process", "", "A row of processes.", &Context::process});
    f(Column{"id", "", "Context id, per process.", &Context::id});
    f(Column{"device", "", "CUDA device ordinal.", &Context::device, Nulls::kAllowed});
    f(Column{"null_stream", "", "Stream id of the legacy default stream.", &Context::null_stream,
             Nulls::kAllowed});
    f(Column{"parent", "", "Parent of a green context.", &Context::parent, Nulls::kAllowed});
    f(Column{"is_green", "", "1 for a green context.", &Context::is_green});
  }
};

// An NVTX domain of a process. Number 0 is the default domain, which has no name.
struct NvtxDomain {
  ProcessId process = {};
  std::uint64_t number = 0;
  StringId name = {};

  bool operator==(const NvtxDomain&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"process", "", "A row of processes.", &NvtxDomain::process, Nulls::kAllowed});
    f(Column{"number", "", "Domain number, per process; 0 is the default.", &NvtxDomain::number});
    f(Column{"name", "", "A row of strings.", &NvtxDomain::name, Nulls::kAllowed});
  }
};

// The name of an NVTX category.
struct NvtxCategory {
  DomainId domain = {};
  std::uint32_t number = 0;
  StringId name = {};

  bool operator==(const NvtxCategory&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"domain", "", "A row of domains.", &NvtxCategory::domain});
    f(Column{"number", "", "Category number.", &NvtxCategory::number});
    f(Column{"name", "", "A row of strings.", &NvtxCategory::name, Nulls::kAllowed});
  }
};

}  // namespace xsp
