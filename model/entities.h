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

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"global_id", "", "Unique over hosts and virtual machines."}, &As::global_id...);
    f(Column{"pid", "", "Process id."}, &As::pid...);
    f(Column{"name", "", "Its name: a row of strings.", Nulls::kAllowed}, &As::name...);
    f(Column{"rank", "", "Its rank in a distributed job, where the source says.", Nulls::kAllowed},
      &As::rank...);
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

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"kind", "", "0 process, 1 thread, 2 stream, 3 migrations, 4 device, 5 metrics."},
      &As::kind...);
    f(Column{"process", "", "A row of processes.", Nulls::kAllowed}, &As::process...);
    f(Column{"thread", "", "Thread id.", Nulls::kAllowed}, &As::thread...);
    f(Column{"device", "", "CUDA device ordinal inside the process.", Nulls::kAllowed},
      &As::device...);
    f(Column{"context", "", "CUDA context, per process.", Nulls::kAllowed}, &As::context...);
    f(Column{"stream", "", "CUDA stream, per process and context.", Nulls::kAllowed},
      &As::stream...);
    f(Column{"gpu", "", "The physical GPU: a row of gpus.", Nulls::kAllowed}, &As::gpu...);
    f(Column{"name", "", "Thread or stream name: a row of strings.", Nulls::kAllowed},
      &As::name...);
    f(Column{"priority", "", "Thread or stream priority.", Nulls::kAllowed}, &As::priority...);
    f(Column{"flag", "", "Stream: 0 unknown, 1 blocking, 2 non-blocking, 3 the null stream."},
      &As::flag...);
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

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"source_id", "", "The source's own GPU id.", Nulls::kAllowed}, &As::source_id...);
    f(Column{"cuda_ordinal", "", "System-wide CUDA ordinal.", Nulls::kAllowed},
      &As::cuda_ordinal...);
    f(Column{"name", "", "Model: a row of strings.", Nulls::kAllowed}, &As::name...);
    f(Column{"bus", "", "PCI location: a row of strings.", Nulls::kAllowed}, &As::bus...);
    f(Column{"uuid", "", "UUID: a row of strings.", Nulls::kAllowed}, &As::uuid...);
    f(Column{"chip", "", "Chip name: a row of strings.", Nulls::kAllowed}, &As::chip...);
    f(Column{"sm_count", "", "Streaming multiprocessors.", Nulls::kAllowed}, &As::sm_count...);
    f(Column{"memory_bytes", "bytes", "Device memory.", Nulls::kAllowed}, &As::memory_bytes...);
    f(Column{"memory_bandwidth", "bytes/s", "Peak memory bandwidth.", Nulls::kAllowed},
      &As::memory_bandwidth...);
    f(Column{"l2_bytes", "bytes", "L2 cache.", Nulls::kAllowed}, &As::l2_bytes...);
    f(Column{"clock_hz", "Hz", "Core clock.", Nulls::kAllowed}, &As::clock_hz...);
    f(Column{"compute_major", "", "Compute capability, major.", Nulls::kAllowed},
      &As::compute_major...);
    f(Column{"compute_minor", "", "Compute capability, minor.", Nulls::kAllowed},
      &As::compute_minor...);
    f(Column{"threads_per_warp", "", "Warp size.", Nulls::kAllowed}, &As::threads_per_warp...);
    f(Column{"max_warps_per_sm", "", "Limit.", Nulls::kAllowed}, &As::max_warps_per_sm...);
    f(Column{"max_blocks_per_sm", "", "Limit.", Nulls::kAllowed}, &As::max_blocks_per_sm...);
    f(Column{"max_threads_per_block", "", "Limit.", Nulls::kAllowed},
      &As::max_threads_per_block...);
    f(Column{"max_registers_per_block", "", "Limit.", Nulls::kAllowed},
      &As::max_registers_per_block...);
    f(Column{"max_registers_per_sm", "", "Limit.", Nulls::kAllowed}, &As::max_registers_per_sm...);
    f(Column{"max_shared_per_block_bytes", "bytes", "Limit.", Nulls::kAllowed},
      &As::max_shared_per_block...);
    f(Column{"max_shared_per_sm_bytes", "bytes", "Limit.", Nulls::kAllowed},
      &As::max_shared_per_sm...);
    f(Column{"async_engines", "", "Copy engines.", Nulls::kAllowed}, &As::async_engines...);
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

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"process", "", "A row of processes."}, &As::process...);
    f(Column{"id", "", "Context id, per process."}, &As::id...);
    f(Column{"device", "", "CUDA device ordinal.", Nulls::kAllowed}, &As::device...);
    f(Column{"null_stream", "", "Stream id of the legacy default stream.", Nulls::kAllowed},
      &As::null_stream...);
    f(Column{"parent", "", "Parent of a green context.", Nulls::kAllowed}, &As::parent...);
    f(Column{"is_green", "", "1 for a green context."}, &As::is_green...);
  }
};

// An NVTX domain of a process. Number 0 is the default domain, which has no name.
struct NvtxDomain {
  ProcessId process = {};
  std::uint64_t number = 0;
  StringId name = {};

  bool operator==(const NvtxDomain&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"process", "", "A row of processes.", Nulls::kAllowed}, &As::process...);
    f(Column{"number", "", "Domain number, per process; 0 is the default."}, &As::number...);
    f(Column{"name", "", "A row of strings.", Nulls::kAllowed}, &As::name...);
  }
};

// The name of an NVTX category.
struct NvtxCategory {
  DomainId domain = {};
  std::uint32_t number = 0;
  StringId name = {};

  bool operator==(const NvtxCategory&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"domain", "", "A row of domains."}, &As::domain...);
    f(Column{"number", "", "Category number."}, &As::number...);
    f(Column{"name", "", "A row of strings.", Nulls::kAllowed}, &As::name...);
  }
};

}  // namespace xsp
