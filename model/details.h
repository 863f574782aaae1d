#pragma once

#include <cstdint>

#include "model/column.h"
#include "model/ids.h"
#include "model/time.h"

// The facts that only some kinds of events have. Each table belongs to one kind or to a few
// neighbouring ones (kKindGroups in trace.h); its n-th row describes the n-th event of those kinds.
// Fields are declared once, for a table and for a row of it alike (TraceTable in column.h).
namespace xsp {

// Kernels: how they were launched.
template <template <class> class Of>
struct KernelFields {
  Of<StringId> short_name;
  Of<StringId> mangled_name;
  Of<std::uint32_t> grid_x, grid_y, grid_z;
  Of<std::uint32_t> block_x, block_y, block_z;
  Of<std::uint32_t> registers;
  Of<std::uint32_t> static_shared, dynamic_shared, executed_shared;
  Of<std::uint32_t> local_per_thread;
  Of<std::uint8_t> launch_type;
  Of<std::uint32_t> cluster_x, cluster_y, cluster_z;
  Of<std::uint64_t> graph_node;
  Of<std::uint64_t> graph;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"short_name", "", "The bare function name: a row of strings.", Nulls::kAllowed},
      &As::short_name...);
    f(Column{"mangled_name", "", "The C++ symbol: a row of strings.", Nulls::kAllowed},
      &As::mangled_name...);
    f(Column{"grid_x", "blocks", "Grid size, x.", Nulls::kAllowed}, &As::grid_x...);
    f(Column{"grid_y", "blocks", "Grid size, y.", Nulls::kAllowed}, &As::grid_y...);
    f(Column{"grid_z", "blocks", "Grid size, z.", Nulls::kAllowed}, &As::grid_z...);
    f(Column{"block_x", "threads", "Block size, x.", Nulls::kAllowed}, &As::block_x...);
    f(Column{"block_y", "threads", "Block size, y.", Nulls::kAllowed}, &As::block_y...);
    f(Column{"block_z", "threads", "Block size, z.", Nulls::kAllowed}, &As::block_z...);
    f(Column{"registers", "", "Registers per thread.", Nulls::kAllowed}, &As::registers...);
    f(Column{"static_shared_bytes", "bytes", "Static shared memory per block.", Nulls::kAllowed},
      &As::static_shared...);
    f(Column{"dynamic_shared_bytes", "bytes", "Dynamic shared memory per block.", Nulls::kAllowed},
      &As::dynamic_shared...);
    f(Column{"executed_shared_bytes", "bytes", "Shared memory size that the driver set.",
             Nulls::kAllowed},
      &As::executed_shared...);
    f(Column{"local_bytes_per_thread", "bytes", "Local memory per thread.", Nulls::kAllowed},
      &As::local_per_thread...);
    f(Column{"launch_type", "", "0 unknown, 1 regular, 2 cooperative, 3 cooperative multi-device.",
             Nulls::kAllowed},
      &As::launch_type...);
    f(Column{"cluster_x", "blocks", "Cluster size, x.", Nulls::kAllowed}, &As::cluster_x...);
    f(Column{"cluster_y", "blocks", "Cluster size, y.", Nulls::kAllowed}, &As::cluster_y...);
    f(Column{"cluster_z", "blocks", "Cluster size, z.", Nulls::kAllowed}, &As::cluster_z...);
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", Nulls::kAllowed},
      &As::graph_node...);
    f(Column{"graph", "", "The CUDA graph it belongs to, per process.", Nulls::kAllowed},
      &As::graph...);
  }
};
using Kernels = TraceTable<KernelFields>;

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
template <>
inline constexpr MemoryKind kMissing<MemoryKind> = MemoryKind::kUnknown;

// Memory copies and unified-memory migrations.
template <template <class> class Of>
struct CopyFields {
  Of<std::uint64_t> bytes;
  Of<CopyKind> copy_kind;
  Of<MemoryKind> source_kind, target_kind;
  Of<std::uint32_t> source_device, target_device;
  Of<std::uint32_t> count;
  Of<std::uint8_t> migration_cause;
  Of<std::uint64_t> address;
  Of<std::uint64_t> graph_node;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"bytes", "bytes", "How much was copied."}, &As::bytes...);
    f(Column{"copy_kind", "",
             "0 unknown, 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 5 AtoA, 6 AtoD, 7 DtoA, 8 DtoD, 9 HtoH, "
             "10 PtoP, 11-13 unified memory HtoD, DtoH, DtoD; others as the source had them."},
      &As::copy_kind...);
    f(Column{"source_kind", "",
             "0 pageable, 1 pinned, 2 device, 3 array, 4 managed, 5 device static, 6 managed "
             "static, 7 unknown."},
      &As::source_kind...);
    f(Column{"target_kind", "", "As source_kind."}, &As::target_kind...);
    f(Column{"source_device", "", "CUDA ordinal of the source, peer-to-peer copies only.",
             Nulls::kAllowed},
      &As::source_device...);
    f(Column{"target_device", "", "CUDA ordinal of the target, peer-to-peer copies only.",
             Nulls::kAllowed},
      &As::target_device...);
    f(Column{"count", "", "How many copies this row stands for (batched copies: more than 1)."},
      &As::count...);
    f(Column{"migration_cause", "",
             "0 unknown, 1 user prefetch, 2 page fault, 3 speculative prefetch, 4 eviction, 5 "
             "access counters.",
             Nulls::kAllowed},
      &As::migration_cause...);
    f(Column{"address", "", "Virtual address of the migrated pages.", Nulls::kAllowed},
      &As::address...);
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", Nulls::kAllowed},
      &As::graph_node...);
  }
};
using Copies = TraceTable<CopyFields>;

// Memsets on the device.
template <template <class> class Of>
struct MemsetFields {
  Of<std::uint64_t> bytes;
  Of<std::uint32_t> value;
  Of<MemoryKind> memory_kind;
  Of<std::uint64_t> graph_node;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"bytes", "bytes", "How much was set."}, &As::bytes...);
    f(Column{"value", "", "What it was set to."}, &As::value...);
    f(Column{"memory_kind", "", "As source_kind of copies."}, &As::memory_kind...);
    f(Column{"graph_node", "", "The CUDA graph node that ran, per process.", Nulls::kAllowed},
      &As::graph_node...);
  }
};
using Memsets = TraceTable<MemsetFields>;

// CUDA graphs that were traced as one piece.
template <template <class> class Of>
struct GraphSpanFields {
  Of<std::uint64_t> graph;
  Of<std::uint64_t> graph_exec;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"graph", "", "The graph, per process.", Nulls::kAllowed}, &As::graph...);
    f(Column{"graph_exec", "", "The instantiated graph, per process.", Nulls::kAllowed},
      &As::graph_exec...);
  }
};
using GraphSpans = TraceTable<GraphSpanFields>;

// Which interface a CUDA call belongs to.
enum class ApiLayer : std::uint8_t { kRuntime = 0, kDriver, kOther };

// CUDA runtime and driver calls (and nsys' backtrace copies of them).
template <template <class> class Of>
struct CallFields {
  Of<ApiLayer> layer;
  Of<std::int32_t> return_value;
  Of<ChainId> chain;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"layer", "", "0 runtime, 1 driver, 2 other."}, &As::layer...);
    f(Column{"return_value", "", "cudaError_t or CUresult."}, &As::return_value...);
    f(Column{"chain", "", "Call chain of the caller: rows of frames with this chain.",
             Nulls::kAllowed},
      &As::chain...);
  }
};
using Calls = TraceTable<CallFields>;

// What a wait waits for. Told by which fields the source filled in: its own type numbers changed
// meaning from version to version and cannot be trusted.
enum class SyncKind : std::uint8_t {
  kContext = 0,  // All work of the context.
  kStream,       // All work of a stream.
  kEvent,        // What came before the record of an event (or a query of it).
  kStreamWait,   // The device waits, not the host: cudaStreamWaitEvent.
};

// Waits.
template <template <class> class Of>
struct SyncFields {
  Of<SyncKind> sync_kind;
  Of<TrackId> stream;
  Of<std::uint32_t> context;
  Of<std::uint32_t> event;
  Of<std::uint32_t> event_sync;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"sync_kind", "", "0 context or device, 1 stream, 2 event, 3 stream waits for event."},
      &As::sync_kind...);
    f(Column{"stream", "", "The stream waited for or made to wait: a row of tracks.",
             Nulls::kAllowed},
      &As::stream...);
    f(Column{"context", "", "The CUDA context, per process.", Nulls::kAllowed}, &As::context...);
    f(Column{"cuda_event", "", "The CUDA event, per process and context; reused over time.",
             Nulls::kAllowed},
      &As::event...);
    f(Column{"event_sync", "", "Joins a wait with its record where the source has it.",
             Nulls::kAllowed},
      &As::event_sync...);
  }
};
using Syncs = TraceTable<SyncFields>;

// cudaEventRecord. The event's begin and end are those of the call.
template <template <class> class Of>
struct EventRecordFields {
  Of<TrackId> stream;
  Of<std::uint32_t> context;
  Of<std::uint32_t> event;
  Of<std::uint32_t> event_sync;
  Of<TimeNs> device_time;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"stream", "", "The stream recorded on: a row of tracks."}, &As::stream...);
    f(Column{"context", "", "The CUDA context, per process."}, &As::context...);
    f(Column{"cuda_event", "", "The CUDA event, per process and context; reused over time."},
      &As::event...);
    f(Column{"event_sync", "", "Joins the record with its waits where the source has it.",
             Nulls::kAllowed},
      &As::event_sync...);
    f(Column{"device_time_ns", "ns", "When the device reached the record.", Nulls::kAllowed},
      &As::device_time...);
  }
};
using EventRecords = TraceTable<EventRecordFields>;

enum class GraphObjectKind : std::uint8_t { kNode = 0, kGraph, kExec, kClone };

// CUDA graphs and their nodes, at the moment they were made (often before the capture began).
template <template <class> class Of>
struct GraphObjectFields {
  Of<GraphObjectKind> object_kind;
  Of<std::uint64_t> id;
  Of<std::uint64_t> original;
  Of<std::uint64_t> exec;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"object_kind", "", "0 node, 1 graph, 2 executable graph, 3 clone."},
      &As::object_kind...);
    f(Column{"id", "", "Id of the node or graph, per process.", Nulls::kAllowed}, &As::id...);
    f(Column{"original", "", "The node or graph it was made from.", Nulls::kAllowed},
      &As::original...);
    f(Column{"exec", "", "The executable graph.", Nulls::kAllowed}, &As::exec...);
  }
};
using GraphObjects = TraceTable<GraphObjectFields>;

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
template <template <class> class Of>
struct NvtxFields {
  Of<DomainId> domain;
  Of<std::uint32_t> category;
  Of<std::uint32_t> color;
  Of<std::uint64_t> range;
  Of<TrackId> end_thread;
  Of<PayloadType> payload_type;
  Of<std::uint64_t> payload;
  Of<StringId> json;
  Of<std::uint32_t> source_row;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"domain", "", "A row of domains."}, &As::domain...);
    f(Column{"category", "", "Category number, per domain; named in categories.", Nulls::kAllowed},
      &As::category...);
    f(Column{"color", "", "ARGB.", Nulls::kAllowed}, &As::color...);
    f(Column{"range", "", "Handle of a start/end range.", Nulls::kAllowed}, &As::range...);
    f(Column{"end_thread", "", "The track on which a start/end range ended, if another one.",
             Nulls::kAllowed},
      &As::end_thread...);
    f(Column{"payload_type", "",
             "0 none, 1 uint64, 2 int64, 3 double, 4 uint32, 5 int32, 6 float, 7 JSON."},
      &As::payload_type...);
    f(Column{"payload", "",
             "The number's 64 bits: integers sign-extended, floats and doubles as a double."},
      &As::payload...);
    f(Column{"json", "", "A structured payload as JSON text: a row of strings.", Nulls::kAllowed},
      &As::json...);
    f(Column{"source_row", "", "Row number in the source table (NVIDIA's reports name it).",
             Nulls::kAllowed},
      &As::source_row...);
  }
};
using Nvtx = TraceTable<NvtxFields>;

// Operating-system runtime calls.
template <template <class> class Of>
struct OsrtCallFields {
  Of<std::int64_t> return_value;
  Of<std::uint32_t> nesting;
  Of<ChainId> chain;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"return_value", "", "What the call returned.", Nulls::kAllowed}, &As::return_value...);
    f(Column{"nesting", "", "0 for the outermost call.", Nulls::kAllowed}, &As::nesting...);
    f(Column{"chain", "", "Call chain of the caller: rows of frames with this chain.",
             Nulls::kAllowed},
      &As::chain...);
  }
};
using OsrtCalls = TraceTable<OsrtCallFields>;

enum class MpiKind : std::uint8_t { kPointToPoint = 0, kCollective, kStartWait, kOther };

// MPI calls from their own tables (older exports have them as NVTX ranges of domain "MPI").
template <template <class> class Of>
struct MpiCallFields {
  Of<MpiKind> mpi_kind;
  Of<std::uint64_t> communicator;
  Of<std::int32_t> tag;
  Of<std::int32_t> peer;
  Of<std::int64_t> bytes;
  Of<std::int64_t> received_bytes;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"mpi_kind", "", "0 point to point, 1 collective, 2 start or wait, 3 other."},
      &As::mpi_kind...);
    f(Column{"communicator", "", "Communicator handle, per process.", Nulls::kAllowed},
      &As::communicator...);
    f(Column{"tag", "", "Message tag.", Nulls::kAllowed}, &As::tag...);
    f(Column{"peer", "", "The other rank; the root of a collective.", Nulls::kAllowed},
      &As::peer...);
    f(Column{"bytes", "bytes", "Message size.", Nulls::kAllowed}, &As::bytes...);
    f(Column{"received_bytes", "bytes", "Received size of a collective.", Nulls::kAllowed},
      &As::received_bytes...);
  }
};
using MpiCalls = TraceTable<MpiCallFields>;

enum class LibraryKind : std::uint8_t { kCudnn = 0, kCublas };

// cuDNN and cuBLAS calls.
template <template <class> class Of>
struct LibraryCallFields {
  Of<LibraryKind> library;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"library", "", "0 cuDNN, 1 cuBLAS."}, &As::library...);
  }
};
using LibraryCalls = TraceTable<LibraryCallFields>;

enum class DirectiveKind : std::uint8_t { kOpenAcc = 0, kOpenMp };

// OpenACC and OpenMP regions.
template <template <class> class Of>
struct DirectiveFields {
  Of<DirectiveKind> directive_kind;
  Of<StringId> table;
  Of<std::uint32_t> event_kind;
  Of<StringId> file;
  Of<StringId> function;
  Of<StringId> target;
  Of<std::uint32_t> line;
  Of<std::uint64_t> bytes;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"directive_kind", "", "0 OpenACC, 1 OpenMP."}, &As::directive_kind...);
    f(Column{"table", "", "The source table, which tells the sort of region: a row of strings."},
      &As::table...);
    f(Column{"event_kind", "", "The source's own kind number.", Nulls::kAllowed},
      &As::event_kind...);
    f(Column{"file", "", "Source file: a row of strings.", Nulls::kAllowed}, &As::file...);
    f(Column{"function", "", "Function: a row of strings.", Nulls::kAllowed}, &As::function...);
    f(Column{"target", "", "Kernel or variable: a row of strings.", Nulls::kAllowed},
      &As::target...);
    f(Column{"line", "", "Line in the source file.", Nulls::kAllowed}, &As::line...);
    f(Column{"bytes", "bytes", "Bytes moved.", Nulls::kAllowed}, &As::bytes...);
  }
};
using Directives = TraceTable<DirectiveFields>;

enum class MemoryOperation : std::uint8_t { kAllocate = 0, kFree };

// Device memory allocations and releases.
template <template <class> class Of>
struct MemoryOperationFields {
  Of<MemoryOperation> operation;
  Of<std::uint64_t> address;
  Of<std::uint64_t> bytes;
  Of<MemoryKind> memory_kind;
  Of<std::uint64_t> pool;
  Of<std::uint64_t> pool_bytes;
  Of<std::uint64_t> pool_used_bytes;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"operation", "", "0 allocate, 1 free."}, &As::operation...);
    f(Column{"address", "", "Virtual address.", Nulls::kAllowed}, &As::address...);
    f(Column{"bytes", "bytes", "Size.", Nulls::kAllowed}, &As::bytes...);
    f(Column{"memory_kind", "", "As source_kind of copies."}, &As::memory_kind...);
    f(Column{"pool", "", "Address of the memory pool.", Nulls::kAllowed}, &As::pool...);
    f(Column{"pool_bytes", "bytes", "Size of the pool.", Nulls::kAllowed}, &As::pool_bytes...);
    f(Column{"pool_used_bytes", "bytes", "Used size of the pool.", Nulls::kAllowed},
      &As::pool_used_bytes...);
  }
};
using MemoryOperations = TraceTable<MemoryOperationFields>;

// Memory pools that were made, destroyed or trimmed.
template <template <class> class Of>
struct MemoryPoolFields {
  Of<std::uint64_t> address;
  Of<std::uint8_t> operation;
  Of<std::uint8_t> pool_type;
  Of<std::uint64_t> bytes;
  Of<std::uint64_t> used_bytes;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"address", "", "Address of the pool.", Nulls::kAllowed}, &As::address...);
    f(Column{"operation", "", "1 created, 2 destroyed, 3 trimmed."}, &As::operation...);
    f(Column{"pool_type", "", "1 local, 2 imported."}, &As::pool_type...);
    f(Column{"bytes", "bytes", "Size of the pool.", Nulls::kAllowed}, &As::bytes...);
    f(Column{"used_bytes", "bytes", "Used size of the pool.", Nulls::kAllowed}, &As::used_bytes...);
  }
};
using MemoryPools = TraceTable<MemoryPoolFields>;

// Unified-memory page faults.
template <template <class> class Of>
struct PageFaultFields {
  Of<std::uint8_t> on_gpu;
  Of<std::uint64_t> address;
  Of<std::uint32_t> count;
  Of<std::uint8_t> access;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"on_gpu", "", "1 on the GPU, 0 on the CPU."}, &As::on_gpu...);
    f(Column{"address", "", "Virtual address.", Nulls::kAllowed}, &As::address...);
    f(Column{"count", "", "Number of faults this row stands for."}, &As::count...);
    f(Column{"access", "", "1 read, 2 write, 3 atomic, 4 prefetch.", Nulls::kAllowed},
      &As::access...);
  }
};
using PageFaults = TraceTable<PageFaultFields>;

// Time that the profiler itself took.
template <template <class> class Of>
struct OverheadFields {
  Of<std::uint8_t> overhead_type;
  Of<std::uint8_t> from_cupti;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"overhead_type", "",
             "0 undefined, 1 unknown, 2 driver JIT, 3 buffer flush, 4 instrumentation, 5 resource, "
             "6 module loading, 7 lazy function loading, 8 command buffer full.",
             Nulls::kAllowed},
      &As::overhead_type...);
    f(Column{"from_cupti", "", "1: CUPTI reported it, 0: the profiler did."}, &As::from_cupti...);
  }
};
using Overheads = TraceTable<OverheadFields>;

// CPU samples.
template <template <class> class Of>
struct SampleFields {
  Of<std::uint32_t> cpu;
  Of<std::uint64_t> cycles;
  Of<std::uint8_t> thread_state;
  Of<ChainId> chain;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"cpu", "", "CPU number.", Nulls::kAllowed}, &As::cpu...);
    f(Column{"cycles", "", "Counter value since the last sample; 0: not a timed sample."},
      &As::cycles...);
    f(Column{"thread_state", "", "The source's thread state number.", Nulls::kAllowed},
      &As::thread_state...);
    f(Column{"chain", "", "Call chain: rows of frames with this chain.", Nulls::kAllowed},
      &As::chain...);
  }
};
using Samples = TraceTable<SampleFields>;

// Scheduling: a thread got or lost a CPU.
template <template <class> class Of>
struct SchedEventFields {
  Of<std::uint32_t> cpu;
  Of<std::uint8_t> scheduled_in;
  Of<std::uint8_t> thread_state;
  Of<std::uint8_t> block_reason;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"cpu", "", "CPU number.", Nulls::kAllowed}, &As::cpu...);
    f(Column{"scheduled_in", "", "1 in, 0 out."}, &As::scheduled_in...);
    f(Column{"thread_state", "", "The source's thread state number.", Nulls::kAllowed},
      &As::thread_state...);
    f(Column{"block_reason", "", "The source's block reason number, when scheduled out.",
             Nulls::kAllowed},
      &As::block_reason...);
  }
};
using SchedEvents = TraceTable<SchedEventFields>;

// Sampled hardware counters. The event's name is the metric's.
template <template <class> class Of>
struct GpuMetricFields {
  Of<std::int64_t> value;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"value", "", "Sampled value (percent or raw, as the metric's name says)."},
      &As::value...);
  }
};
using GpuMetrics = TraceTable<GpuMetricFields>;

// What is known of a collective: a row per event that told, which is a range (NVTX domain NCCL, an
// operator of the framework) or, where there is no such range, the kernel itself. Sorted by event;
// not every collective has a row.
template <template <class> class Of>
struct CollectiveFields {
  Of<EventId> event;
  Of<std::uint64_t> communicator;
  Of<std::uint64_t> bytes;
  Of<std::uint32_t> ranks;
  Of<std::uint32_t> rank;
  Of<std::uint32_t> peer;
  Of<StringId> operation;
  Of<StringId> group;
  Of<StringId> type;
  Of<std::uint64_t> sequence;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"event", "", "The range or kernel: a row of events."}, &As::event...);
    f(Column{"communicator", "", "Communicator id.", Nulls::kAllowed}, &As::communicator...);
    f(Column{"bytes", "bytes", "Message size.", Nulls::kAllowed}, &As::bytes...);
    f(Column{"ranks", "", "Number of ranks.", Nulls::kAllowed}, &As::ranks...);
    f(Column{"rank", "", "This rank.", Nulls::kAllowed}, &As::rank...);
    f(Column{"peer", "", "The other rank of a send or receive.", Nulls::kAllowed}, &As::peer...);
    f(Column{"operation", "", "What it does, \"allreduce\": a row of strings.", Nulls::kAllowed},
      &As::operation...);
    f(Column{"group", "", "Name of the framework's process group: a row of strings.",
             Nulls::kAllowed},
      &As::group...);
    f(Column{"type", "", "Type of the elements: a row of strings.", Nulls::kAllowed}, &As::type...);
    f(Column{"sequence", "", "Counts the collectives of a group: equal on all its ranks.",
             Nulls::kAllowed},
      &As::sequence...);
  }
};
using Collectives = TraceTable<CollectiveFields>;

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
template <template <class> class Of>
struct OperatorFields {
  Of<EventId> event;
  Of<StringId> name;
  Of<OperatorRole> role;
  Of<std::uint8_t> is_backward;
  Of<std::int64_t> sequence;
  Of<std::uint64_t> id;
  Of<SignatureId> signature;
  Of<StringId> module;
  Of<TrackId> forward_thread;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"event", "", "The range: a row of events."}, &As::event...);
    f(Column{"name", "", "Bare name, \"aten::mm\": a row of strings."}, &As::name...);
    f(Column{"role", "",
             "0 operation, 1 module (layer), 2 program (a compiled one as a whole), 3 hook before "
             "a module, 4 hook behind a module."},
      &As::role...);
    f(Column{"is_backward", "", "1 for a node of the backward pass."}, &As::is_backward...);
    f(Column{"sequence", "",
             "Links a forward operation with its backward one; counts per forward thread.",
             Nulls::kAllowed},
      &As::sequence...);
    f(Column{"id", "", "The framework's own number of this run of the operator, per process.",
             Nulls::kAllowed},
      &As::id...);
    f(Column{"signature", "", "What it takes: rows of operands with this signature.",
             Nulls::kAllowed},
      &As::signature...);
    f(Column{"module", "", "Path of the module it belongs to: a row of strings.", Nulls::kAllowed},
      &As::module...);
    f(Column{"forward_thread", "",
             "Of a backward operation: the thread that ran its forward one, a row of tracks.",
             Nulls::kAllowed},
      &As::forward_thread...);
  }
};
using Operators = TraceTable<OperatorFields>;

// What operators take: the rows with the same signature, operand by operand, are the inputs of one
// call. A row per dimension; one without dimension and size for what has none (scalars, None).
// Each distinct list of inputs stands here once.
template <template <class> class Of>
struct OperandFields {
  Of<SignatureId> signature;
  Of<std::uint32_t> operand;
  Of<std::uint32_t> element;
  Of<StringId> type;
  Of<std::uint32_t> dimension;
  Of<std::uint64_t> size;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"signature", "", "Which list of inputs; ascending."}, &As::signature...);
    f(Column{"operand", "", "Which input, from 0."}, &As::operand...);
    f(Column{"element", "", "Which tensor of an input that is a list of tensors, from 0.",
             Nulls::kAllowed},
      &As::element...);
    f(Column{"type", "", "The input's type, as the framework calls it: a row of strings.",
             Nulls::kAllowed},
      &As::type...);
    f(Column{"dimension", "", "Which dimension of the tensor, from 0.", Nulls::kAllowed},
      &As::dimension...);
    f(Column{"size", "", "Its size.", Nulls::kAllowed}, &As::size...);
  }
};
using Operands = TraceTable<OperandFields>;

enum FrameFlag : std::uint8_t { kFrameKernelMode = 1, kFrameUnresolved = 2, kFrameSpecial = 4 };

// Call chains: the rows with the same chain are one chain, innermost function first.
template <template <class> class Of>
struct FrameFields {
  Of<ChainId> chain;
  Of<StringId> symbol;
  Of<StringId> module;
  Of<std::uint64_t> address;
  Of<std::uint8_t> flags;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"chain", "", "Which chain; ascending."}, &As::chain...);
    f(Column{"symbol", "", "Function: a row of strings.", Nulls::kAllowed}, &As::symbol...);
    f(Column{"module", "", "Module: a row of strings.", Nulls::kAllowed}, &As::module...);
    f(Column{"address", "", "Instruction pointer.", Nulls::kAllowed}, &As::address...);
    f(Column{"flags", "", "1 kernel mode, 2 unresolved, 4 added by the profiler."}, &As::flags...);
  }
};
using Frames = TraceTable<FrameFields>;

}  // namespace xsp
