#pragma once

#include <cstdint>
#include <vector>

#include "model/column.h"
#include "model/ids.h"
#include "model/time.h"

// The facts that only some kinds of events have. Each table belongs to one kind or to a few
// neighbouring ones (see TableOf in trace.h); its n-th row describes the n-th event of those kinds.
namespace xsp {

// Kernels: how they were launched.
struct Kernels {
  std::vector<StringId> short_name;
  std::vector<StringId> mangled_name;
  std::vector<std::uint32_t> grid_x, grid_y, grid_z;
  std::vector<std::uint32_t> block_x, block_y, block_z;
  std::vector<std::uint32_t> registers;
  std::vector<std::uint32_t> static_shared, dynamic_shared, executed_shared;
  std::vector<std::uint32_t> local_per_thread;
  std::vector<std::uint8_t> launch_type;
  std::vector<std::uint32_t> cluster_x, cluster_y, cluster_z;
  std::vector<std::uint64_t> graph_node;
  std::vector<std::uint64_t> graph;

  bool operator==(const Kernels&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"short_name", "", "The bare function name: a row of strings.", &Kernels::short_name,
             Nulls::kAllowed});
    f(Column{"mangled_name", "", "The C++ symbol: a row of strings.", &Kernels::mangled_name,
             Nulls::kAllowed});
    f(Column{"grid_x", "blocks", "Grid size, x.", &Kernels::grid_x, Nulls::kAllowed});
    f(Column{"grid_y", "blocks", "Grid size, y.", &Kernels::grid_y, Nulls::kAllowed});
    f(Column{"grid_z", "blocks", "Grid size, z.", &Kernels::grid_z, Nulls::kAllowed});
    f(Column{"block_x", "threads", "Block size, x.", &Kernels::block_x, Nulls::kAllowed});
    f(Column{"block_y", "threads", "Block size, y.", &Kernels::block_y, Nulls::kAllowed});
    f(Column{"block_z", "threads", "Block size, z.", &Kernels::block_z, Nulls::kAllowed});
    f(Column{"registers", "", "Registers per thread.", &Kernels::registers, Nulls::kAllowed});
    f(Column{"static_shared_bytes", "bytes", "Static shared memory per block.",
             &Kernels::static_shared, Nulls::kAllowed});
    f(Column{"dynamic_shared_bytes", "bytes", "Dynamic shared memory per block.",
             &Kernels::dynamic_shared, Nulls::kAllowed});
    f(Column{"executed_shared_bytes", "bytes", "Shared memory size that the driver set.",
             &Kernels::executed_shared, Nulls::kAllowed});
    f(Column{"local_bytes_per_thread", "bytes", "Local memory per thread.",
             &Kernels::local_per_thread, Nulls::kAllowed});
    f(Column{"launch_type", "", "0 unknown, 1 regular, 2 cooperative, 3 cooperative multi-device.",
             &Kernels::launch_type, Nulls::kAllowed});
    f(Column{"cluster_x", "blocks", "Cluster size, x.", &Kernels::cluster_x, Nulls::kAllowed});
    f(Column{"cluster_y", "blocks", "Cluster size, y.", &Kernels::cluster_y, Nulls::kAllowed});
    f(Column{"cluster_z", "blocks", "Cluster size, z.", &Kernels::cluster_z, Nulls::kAllowed});
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", &Kernels::graph_node,
             Nulls::kAllowed});
    f(Column{"graph", "", "The CUDA graph it belongs to, per process.", &Kernels::graph,
             Nulls::kAllowed});
  }
};

// Direction of a copy; the numbers are CUPTI's and nsys'.
enum class CopyKind : std::uint8_t {
  kUnknown = 0,
  kHtoD,
  kDtoH,
  kHtoA,
  kAtoH,
  kAtoA,
  kAtoD,
  kDtoA,
  kDtoD,
  kHtoH,
  kPtoP,
  kUnifiedHtoD,
  kUnifiedDtoH,
  kUnifiedDtoD,
};

// Where memory lives. nsys' numbers; CUPTI's own differ and are converted by whoever reads them.
enum class MemoryKind : std::uint8_t {
  kPageable = 0,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic,
  kUnknown,
};

// Memory copies and unified-memory migrations.
struct Copies {
  std::vector<std::uint64_t> bytes;
  std::vector<CopyKind> copy_kind;
  std::vector<MemoryKind> source_kind, target_kind;
  std::vector<std::uint32_t> source_device, target_device;
  std::vector<std::uint32_t> count;
  std::vector<std::uint8_t> migration_cause;
  std::vector<std::uint64_t> address;
  std::vector<std::uint64_t> graph_node;

  bool operator==(const Copies&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"bytes", "bytes", "How much was copied.", &Copies::bytes});
    f(Column{"copy_kind", "",
             "0 unknown, 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 5 AtoA, 6 AtoD, 7 DtoA, 8 DtoD, 9 HtoH, "
             "10 PtoP, 11-13 unified memory HtoD, DtoH, DtoD; others as the source had them.",
             &Copies::copy_kind});
    f(Column{"source_kind", "",
             "0 pageable, 1 pinned, 2 device, 3 array, 4 managed, 5 device static, 6 managed "
             "static, 7 unknown.",
             &Copies::source_kind});
    f(Column{"target_kind", "", "As source_kind.", &Copies::target_kind});
    f(Column{"source_device", "", "CUDA ordinal of the source, peer-to-peer copies only.",
             &Copies::source_device, Nulls::kAllowed});
    f(Column{"target_device", "", "CUDA ordinal of the target, peer-to-peer copies only.",
             &Copies::target_device, Nulls::kAllowed});
    f(Column{"count", "", "How many copies this row stands for (batched copies: more than 1).",
             &Copies::count});
    f(Column{"migration_cause", "",
             "0 unknown, 1 user prefetch, 2 page fault, 3 speculative prefetch, 4 eviction, 5 "
             "access counters.",
             &Copies::migration_cause, Nulls::kAllowed});
    f(Column{"address", "", "Virtual address of the migrated pages.", &Copies::address,
             Nulls::kAllowed});
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", &Copies::graph_node,
             Nulls::kAllowed});
  }
};

// Memsets on the device.
struct Memsets {
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> value;
  std::vector<MemoryKind> memory_kind;
  std::vector<std::uint64_t> graph_node;

  bool operator==(const Memsets&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"bytes", "bytes", "How much was set.", &Memsets::bytes});
    f(Column{"value", "", "What it was set to.", &Memsets::value});
    f(Column{"memory_kind", "", "As source_kind of copies.", &Memsets::memory_kind});
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", &Memsets::graph_node,
             Nulls::kAllowed});
  }
};

// CUDA graphs that were traced as one piece.
struct GraphSpans {
  std::vector<std::uint64_t> graph;
  std::vector<std::uint64_t> graph_exec;

  bool operator==(const GraphSpans&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"graph", "", "The graph, per process.", &GraphSpans::graph, Nulls::kAllowed});
    f(Column{"graph_exec", "", "The instantiated graph, per process.", &GraphSpans::graph_exec,
             Nulls::kAllowed});
  }
};

// Which interface a CUDA call belongs to.
enum class ApiLayer : std::uint8_t { kRuntime = 0, kDriver, kOther };

// CUDA runtime and driver calls (and nsys' backtrace copies of them).
struct Calls {
  std::vector<ApiLayer> layer;
  std::vector<std::int32_t> return_value;
  std::vector<ChainId> chain;

  bool operator==(const Calls&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"layer", "", "0 runtime, 1 driver, 2 other.", &Calls::layer});
    f(Column{"return_value", "", "cudaError_t or CUresult.", &Calls::return_value});
    f(Column{"chain", "", "Call chain of the caller: rows of frames with this chain.",
             &Calls::chain, Nulls::kAllowed});
  }
};

// What a wait waits for. Told by which fields the source filled in: its own type numbers changed
// meaning from version to version and cannot be trusted.
enum class SyncKind : std::uint8_t {
  kContext = 0,  // All work of the context.
  kStream,       // All work of a stream.
  kEvent,        // What came before the record of an event (or a query of it).
  kStreamWait,   // The device waits, not the host: cudaStreamWaitEvent.
};

// Waits.
struct Syncs {
  std::vector<SyncKind> sync_kind;
  std::vector<TrackId> stream;
  std::vector<std::uint32_t> context;
  std::vector<std::uint32_t> event;
  std::vector<std::uint32_t> event_sync;

  bool operator==(const Syncs&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"sync_kind", "", "0 context or device, 1 stream, 2 event, 3 stream waits for event.",
             &Syncs::sync_kind});
    f(Column{"stream", "", "The stream waited for or made to wait: a row of tracks.",
             &Syncs::stream, Nulls::kAllowed});
    f(Column{"context", "", "The CUDA context, per process.", &Syncs::context, Nulls::kAllowed});
    f(Column{"cuda_event", "", "The CUDA event, per process and context; reused over time.",
             &Syncs::event, Nulls::kAllowed});
    f(Column{"event_sync", "", "Joins a wait with its record where the source has it.",
             &Syncs::event_sync, Nulls::kAllowed});
  }
};

// cudaEventRecord. The event's begin and end are those of the call.
struct EventRecords {
  std::vector<TrackId> stream;
  std::vector<std::uint32_t> context;
  std::vector<std::uint32_t> event;
  std::vector<std::uint32_t> event_sync;
  std::vector<TimeNs> device_time;

  bool operator==(const EventRecords&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"stream", "", "The stream recorded on: a row of tracks.", &EventRecords::stream});
    f(Column{"context", "", "The CUDA context, per process.", &EventRecords::context});
    f(Column{"cuda_event", "", "The CUDA event, per process and context; reused over time.",
             &EventRecords::event});
    f(Column{"event_sync", "", "Joins the record with its waits where the source has it.",
             &EventRecords::event_sync, Nulls::kAllowed});
    f(Column{"device_time_ns", "ns", "When the device reached the record.",
             &EventRecords::device_time, Nulls::kAllowed});
  }
};

enum class GraphObjectKind : std::uint8_t { kNode = 0, kGraph, kExec, kClone };

// CUDA graphs and their nodes, at the moment they were made (often before the capture began).
struct GraphObjects {
  std::vector<GraphObjectKind> object_kind;
  std::vector<std::uint64_t> id;
  std::vector<std::uint64_t> original;
  std::vector<std::uint64_t> exec;

  bool operator==(const GraphObjects&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"object_kind", "", "0 node, 1 graph, 2 executable graph, 3 clone.",
             &GraphObjects::object_kind});
    f(Column{"id", "", "Id of the node or graph, per process.", &GraphObjects::id,
             Nulls::kAllowed});
    f(Column{"original", "", "The node or graph it was made from.", &GraphObjects::original,
             Nulls::kAllowed});
    f(Column{"exec", "", "The executable graph.", &GraphObjects::exec, Nulls::kAllowed});
  }
};

enum class PayloadType : std::uint8_t {
  kNone = 0,
  kUint64,
  kInt64,
  kDouble,
  kUint32,
  kInt32,
  kFloat,
  kJson,
};

// NVTX ranges and marks.
struct Nvtx {
  std::vector<DomainId> domain;
  std::vector<std::uint32_t> category;
  std::vector<std::uint32_t> color;
  std::vector<std::uint64_t> range;
  std::vector<TrackId> end_thread;
  std::vector<PayloadType> payload_type;
  std::vector<std::uint64_t> payload;
  std::vector<StringId> json;
  std::vector<std::uint32_t> source_row;

  bool operator==(const Nvtx&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"domain", "", "A row of domains.", &Nvtx::domain});
    f(Column{"category", "", "Category number, per domain; named in categories.", &Nvtx::category,
             Nulls::kAllowed});
    f(Column{"color", "", "ARGB.", &Nvtx::color, Nulls::kAllowed});
    f(Column{"range", "", "Handle of a start/end range.", &Nvtx::range, Nulls::kAllowed});
    f(Column{"end_thread", "", "The track on which a start/end range ended, if another one.",
             &Nvtx::end_thread, Nulls::kAllowed});
    f(Column{"payload_type", "",
             "0 none, 1 uint64, 2 int64, 3 double, 4 uint32, 5 int32, 6 float, 7 JSON.",
             &Nvtx::payload_type});
    f(Column{"payload", "",
             "The number's 64 bits: integers sign-extended, floats and doubles as a double.",
             &Nvtx::payload});
    f(Column{"json", "", "A structured payload as JSON text: a row of strings.", &Nvtx::json,
             Nulls::kAllowed});
    f(Column{"source_row", "", "Row number in the source table (NVIDIA's reports name it).",
             &Nvtx::source_row, Nulls::kAllowed});
  }
};

// Operating-system runtime calls.
struct OsrtCalls {
  std::vector<std::int64_t> return_value;
  std::vector<std::uint32_t> nesting;
  std::vector<ChainId> chain;

  bool operator==(const OsrtCalls&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"return_value", "", "What the call returned.", &OsrtCalls::return_value,
             Nulls::kAllowed});
    f(Column{"nesting", "", "0 for the outermost call.", &OsrtCalls::nesting, Nulls::kAllowed});
    f(Column{"chain", "", "Call chain of the caller: rows of frames with this chain.",
             &OsrtCalls::chain, Nulls::kAllowed});
  }
};

enum class MpiKind : std::uint8_t { kPointToPoint = 0, kCollective, kStartWait, kOther };

// MPI calls from their own tables (older exports have them as NVTX ranges of domain "MPI").
struct MpiCalls {
  std::vector<MpiKind> mpi_kind;
  std::vector<std::uint64_t> communicator;
  std::vector<std::int32_t> tag;
  std::vector<std::int32_t> peer;
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> received_bytes;

  bool operator==(const MpiCalls&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"mpi_kind", "", "0 point to point, 1 collective, 2 start or wait, 3 other.",
             &MpiCalls::mpi_kind});
    f(Column{"communicator", "", "Communicator handle, per process.", &MpiCalls::communicator,
             Nulls::kAllowed});
    f(Column{"tag", "", "Message tag.", &MpiCalls::tag, Nulls::kAllowed});
    f(Column{"peer", "", "The other rank; the root of a collective.", &MpiCalls::peer,
             Nulls::kAllowed});
    f(Column{"bytes", "bytes", "Message size.", &MpiCalls::bytes, Nulls::kAllowed});
    f(Column{"received_bytes", "bytes", "Received size of a collective.", &MpiCalls::received_bytes,
             Nulls::kAllowed});
  }
};

enum class LibraryKind : std::uint8_t { kCudnn = 0, kCublas };

// cuDNN and cuBLAS calls.
struct LibraryCalls {
  std::vector<LibraryKind> library;

  bool operator==(const LibraryCalls&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"library", "", "0 cuDNN, 1 cuBLAS.", &LibraryCalls::library});
  }
};

enum class DirectiveKind : std::uint8_t { kOpenAcc = 0, kOpenMp };

// OpenACC and OpenMP regions.
struct Directives {
  std::vector<DirectiveKind> directive_kind;
  std::vector<StringId> table;
  std::vector<std::uint32_t> event_kind;
  std::vector<StringId> file;
  std::vector<StringId> function;
  std::vector<StringId> target;
  std::vector<std::uint32_t> line;
  std::vector<std::uint64_t> bytes;

  bool operator==(const Directives&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"directive_kind", "", "0 OpenACC, 1 OpenMP.", &Directives::directive_kind});
    f(Column{"table", "", "The source table, which tells the sort of region: a row of strings.",
             &Directives::table});
    f(Column{"event_kind", "", "The source's own kind number.", &Directives::event_kind,
             Nulls::kAllowed});
    f(Column{"file", "", "Source file: a row of strings.", &Directives::file, Nulls::kAllowed});
    f(Column{"function", "", "Function: a row of strings.", &Directives::function,
             Nulls::kAllowed});
    f(Column{"target", "", "Kernel or variable: a row of strings.", &Directives::target,
             Nulls::kAllowed});
    f(Column{"line", "", "Line in the source file.", &Directives::line, Nulls::kAllowed});
    f(Column{"bytes", "bytes", "Bytes moved.", &Directives::bytes, Nulls::kAllowed});
  }
};

enum class MemoryOperation : std::uint8_t { kAllocate = 0, kFree };

// Device memory allocations and releases.
struct MemoryOperations {
  std::vector<MemoryOperation> operation;
  std::vector<std::uint64_t> address;
  std::vector<std::uint64_t> bytes;
  std::vector<MemoryKind> memory_kind;
  std::vector<std::uint64_t> pool;
  std::vector<std::uint64_t> pool_bytes;
  std::vector<std::uint64_t> pool_used_bytes;

  bool operator==(const MemoryOperations&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"operation", "", "0 allocate, 1 free.", &MemoryOperations::operation});
    f(Column{"address", "", "Virtual address.", &MemoryOperations::address, Nulls::kAllowed});
    f(Column{"bytes", "bytes", "Size.", &MemoryOperations::bytes, Nulls::kAllowed});
    f(Column{"memory_kind", "", "As source_kind of copies.", &MemoryOperations::memory_kind});
    f(Column{"pool", "", "Address of the memory pool.", &MemoryOperations::pool, Nulls::kAllowed});
    f(Column{"pool_bytes", "bytes", "Size of the pool.", &MemoryOperations::pool_bytes,
             Nulls::kAllowed});
    f(Column{"pool_used_bytes", "bytes", "Used size of the pool.",
             &MemoryOperations::pool_used_bytes, Nulls::kAllowed});
  }
};

// Memory pools that were made, destroyed or trimmed.
struct MemoryPools {
  std::vector<std::uint64_t> address;
  std::vector<std::uint8_t> operation;
  std::vector<std::uint8_t> pool_type;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> used_bytes;

  bool operator==(const MemoryPools&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"address", "", "Address of the pool.", &MemoryPools::address, Nulls::kAllowed});
    f(Column{"operation", "", "1 created, 2 destroyed, 3 trimmed.", &MemoryPools::operation});
    f(Column{"pool_type", "", "1 local, 2 imported.", &MemoryPools::pool_type});
    f(Column{"bytes", "bytes", "Size of the pool.", &MemoryPools::bytes, Nulls::kAllowed});
    f(Column{"used_bytes", "bytes", "Used size of the pool.", &MemoryPools::used_bytes,
             Nulls::kAllowed});
  }
};

// Unified-memory page faults.
struct PageFaults {
  std::vector<std::uint8_t> on_gpu;
  std::vector<std::uint64_t> address;
  std::vector<std::uint32_t> count;
  std::vector<std::uint8_t> access;

  bool operator==(const PageFaults&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"on_gpu", "", "1 on the GPU, 0 on the CPU.", &PageFaults::on_gpu});
    f(Column{"address", "", "Virtual address.", &PageFaults::address, Nulls::kAllowed});
    f(Column{"count", "", "Number of faults this row stands for.", &PageFaults::count});
    f(Column{"access", "", "1 read, 2 write, 3 atomic, 4 prefetch.", &PageFaults::access,
             Nulls::kAllowed});
  }
};

// Time that the profiler itself took.
struct Overheads {
  std::vector<std::uint8_t> overhead_type;
  std::vector<std::uint8_t> from_cupti;

  bool operator==(const Overheads&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"overhead_type", "",
             "0 undefined, 1 unknown, 2 driver JIT, 3 buffer flush, 4 instrumentation, 5 resource, "
             "6 module loading, 7 lazy function loading, 8 command buffer full.",
             &Overheads::overhead_type, Nulls::kAllowed});
    f(Column{"from_cupti", "", "1: CUPTI reported it, 0: the profiler did.",
             &Overheads::from_cupti});
  }
};

// CPU samples.
struct Samples {
  std::vector<std::uint32_t> cpu;
  std::vector<std::uint64_t> cycles;
  std::vector<std::uint8_t> thread_state;
  std::vector<ChainId> chain;

  bool operator==(const Samples&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"cpu", "", "CPU number.", &Samples::cpu, Nulls::kAllowed});
    f(Column{"cycles", "", "Counter value since the last sample; 0: not a timed sample.",
             &Samples::cycles});
    f(Column{"thread_state", "", "The source's thread state number.", &Samples::thread_state,
             Nulls::kAllowed});
    f(Column{"chain", "", "Call chain: rows of frames with this chain.", &Samples::chain,
             Nulls::kAllowed});
  }
};

// Scheduling: a thread got or lost a CPU.
struct SchedEvents {
  std::vector<std::uint32_t> cpu;
  std::vector<std::uint8_t> scheduled_in;
  std::vector<std::uint8_t> thread_state;
  std::vector<std::uint8_t> block_reason;

  bool operator==(const SchedEvents&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"cpu", "", "CPU number.", &SchedEvents::cpu, Nulls::kAllowed});
    f(Column{"scheduled_in", "", "1 in, 0 out.", &SchedEvents::scheduled_in});
    f(Column{"thread_state", "", "The source's thread state number.", &SchedEvents::thread_state,
             Nulls::kAllowed});
    f(Column{"block_reason", "", "The source's block reason number, when scheduled out.",
             &SchedEvents::block_reason, Nulls::kAllowed});
  }
};

// Sampled hardware counters. The event's name is the metric's.
struct GpuMetrics {
  std::vector<std::int64_t> value;

  bool operator==(const GpuMetrics&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"value", "", "Sampled value (percent or raw, as the metric's name says).",
             &GpuMetrics::value});
  }
};

// What is known of a collective: a row per event that told, which is a range (NVTX domain NCCL, an
// operator of the framework) or, where there is no such range, the kernel itself. Sorted by event;
// not every collective has a row.
struct Collectives {
  std::vector<EventId> event;
  std::vector<std::uint64_t> communicator;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> rank;
  std::vector<std::uint32_t> peer;
  std::vector<StringId> operation;
  std::vector<StringId> group;
  std::vector<StringId> type;
  std::vector<std::uint64_t> sequence;

  bool operator==(const Collectives&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"event", "", "The range or kernel: a row of events.", &Collectives::event});
    f(Column{"communicator", "", "Communicator id.", &Collectives::communicator, Nulls::kAllowed});
    f(Column{"bytes", "bytes", "Message size.", &Collectives::bytes, Nulls::kAllowed});
    f(Column{"ranks", "", "Number of ranks.", &Collectives::ranks, Nulls::kAllowed});
    f(Column{"rank", "", "This rank.", &Collectives::rank, Nulls::kAllowed});
    f(Column{"peer", "", "The other rank of a send or receive.", &Collectives::peer,
             Nulls::kAllowed});
    f(Column{"operation", "", "What it does, \"allreduce\": a row of strings.",
             &Collectives::operation, Nulls::kAllowed});
    f(Column{"group", "", "Name of the framework's process group: a row of strings.",
             &Collectives::group, Nulls::kAllowed});
    f(Column{"type", "", "Type of the elements: a row of strings.", &Collectives::type,
             Nulls::kAllowed});
    f(Column{"sequence", "", "Counts the collectives of a group: equal on all its ranks.",
             &Collectives::sequence, Nulls::kAllowed});
  }
};

// What a framework's range stands for.
enum class OperatorRole : std::uint8_t {
  kOperation = 0,  // aten::mm, a TensorFlow operation, an XLA thunk.
  kModule,         // A layer: a PyTorch module, a TensorRT layer.
  kProgram,        // A compiled program as a whole: an XLA module, a TensorRT engine.
  kModuleBegin,    // A hook that runs before a module; what follows on its thread belongs to it,
  kModuleEnd,      // up to the hook that runs behind it.
};

// Operators: what a framework says of its ranges, a row per range that it wrote. The importer takes
// their texts apart, so nobody else reads "aten::mm, seq = 5". Sorted by event.
struct Operators {
  std::vector<EventId> event;
  std::vector<StringId> name;
  std::vector<OperatorRole> role;
  std::vector<std::uint8_t> is_backward;
  std::vector<std::int64_t> sequence;
  std::vector<std::uint64_t> id;
  std::vector<SignatureId> signature;
  std::vector<StringId> module;
  std::vector<TrackId> forward_thread;

  bool operator==(const Operators&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"event", "", "The range: a row of events.", &Operators::event});
    f(Column{"name", "", "Bare name, \"aten::mm\": a row of strings.", &Operators::name});
    f(Column{"role", "",
             "0 operation, 1 module (layer), 2 program (a compiled one as a whole), 3 hook before "
             "a module, 4 hook behind a module.",
             &Operators::role});
    f(Column{"is_backward", "", "1 for a node of the backward pass.", &Operators::is_backward});
    f(Column{"sequence", "",
             "Links a forward operation with its backward one; counts per forward thread.",
             &Operators::sequence, Nulls::kAllowed});
    f(Column{"id", "", "The framework's own number of this run of the operator, per process.",
             &Operators::id, Nulls::kAllowed});
    f(Column{"signature", "", "What it takes: rows of operands with this signature.",
             &Operators::signature, Nulls::kAllowed});
    f(Column{"module", "", "Path of the module it belongs to: a row of strings.",
             &Operators::module, Nulls::kAllowed});
    f(Column{"forward_thread", "",
             "Of a backward operation: the thread that ran its forward one, a row of tracks.",
             &Operators::forward_thread, Nulls::kAllowed});
  }
};

// What operators take: the rows with the same signature, operand by operand, are the inputs of one
// call. A row per dimension; one without dimension and size for what has none (scalars, None).
// Each distinct list of inputs stands here once.
struct Operands {
  std::vector<SignatureId> signature;
  std::vector<std::uint32_t> operand;
  std::vector<std::uint32_t> element;
  std::vector<StringId> type;
  std::vector<std::uint32_t> dimension;
  std::vector<std::uint64_t> size;

  bool operator==(const Operands&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"signature", "", "Which list of inputs; ascending.", &Operands::signature});
    f(Column{"operand", "", "Which input, from 0.", &Operands::operand});
    f(Column{"element", "", "Which tensor of an input that is a list of tensors, from 0.",
             &Operands::element, Nulls::kAllowed});
    f(Column{"type", "", "The input's type, as the framework calls it: a row of strings.",
             &Operands::type, Nulls::kAllowed});
    f(Column{"dimension", "", "Which dimension of the tensor, from 0.", &Operands::dimension,
             Nulls::kAllowed});
    f(Column{"size", "", "Its size.", &Operands::size, Nulls::kAllowed});
  }
};

enum FrameFlag : std::uint8_t { kFrameKernelMode = 1, kFrameUnresolved = 2, kFrameSpecial = 4 };

// Call chains: the rows with the same chain are one chain, innermost function first.
struct Frames {
  std::vector<ChainId> chain;
  std::vector<StringId> symbol;
  std::vector<StringId> module;
  std::vector<std::uint64_t> address;
  std::vector<std::uint8_t> flags;

  bool operator==(const Frames&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"chain", "", "Which chain; ascending.", &Frames::chain});
    f(Column{"symbol", "", "Function: a row of strings.", &Frames::symbol, Nulls::kAllowed});
    f(Column{"module", "", "Module: a row of strings.", &Frames::module, Nulls::kAllowed});
    f(Column{"address", "", "Instruction pointer.", &Frames::address, Nulls::kAllowed});
    f(Column{"flags", "", "1 kernel mode, 2 unresolved, 4 added by the profiler.", &Frames::flags});
  }
};

}  // namespace xsp
