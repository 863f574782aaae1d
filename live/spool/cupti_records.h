#pragma once

#include <cstddef>
#include <cstdint>

// The activity records of CUPTI, as they lie in its buffers. xsp is built without CUPTI's headers,
// so that one build serves every version; a test compares these layouts with the real headers of
// CUDA 11.8, 12.9 and 13.4.
//
// From 11.8 on a kind of record only ever grew at its end, or gave a name to a byte that was
// padding. Each struct here is the longest form that xsp reads from. Which fields a record really
// has is told by its own size, which the libcupti that wrote it gave (see Fields below).
namespace xsp::live {

// CUpti_ActivityKind. Only those that xsp asks for or knows how to read.
enum class CuptiKind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kUnifiedMemory = 25,
  kCudaEvent = 36,
  kStream = 37,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kMemory = 49,
  kMemoryPool = 50,
  kGraphTrace = 51,
};

// Kinds are counted in arrays of this size; CUPTI 13.4 ends at 59.
inline constexpr std::size_t kCuptiKinds = 64;

// "Does not apply", for streams and events of waits.
inline constexpr std::uint32_t kCuptiNone = 0xFFFFFFFF;

struct CuptiRecord {
  std::uint32_t kind;
};

// kRuntime, kDriver.
struct CuptiApiRecord {
  std::uint32_t kind;
  std::uint32_t cbid;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t return_value;
};

// kConcurrentKernel, kKernel. `name` is a pointer into the recorded process: see TextSpace.
struct CuptiKernelRecord {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_config;
  std::uint16_t registers;
  std::uint32_t global_cache_requested;
  std::uint32_t global_cache_executed;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid_x, grid_y, grid_z;
  std::int32_t block_x, block_y, block_z;
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  std::uint64_t name;
  std::uint64_t reserved;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint8_t launch_type;
  std::uint8_t carveout_is_requested;
  std::uint8_t carveout_requested;
  std::uint8_t padding;
  std::uint32_t executed_shared;
  std::uint64_t graph_node;
  std::uint32_t shared_limit_config;
  std::uint32_t graph;
  std::uint64_t access_policy_window;
  std::uint32_t channel;
  std::uint32_t channel_type;
  std::uint32_t cluster_x, cluster_y, cluster_z;
  std::uint32_t cluster_scheduling;
};

// kMemcpy.
struct CuptiMemcpyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t padding;
  std::uint64_t reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
  std::uint32_t channel;
  std::uint32_t channel_type;
  std::uint32_t padding2;
  std::uint64_t copy_count;
};

// kMemcpyPeer.
struct CuptiPeerCopyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t source_device;
  std::uint32_t source_context;
  std::uint32_t target_device;
  std::uint32_t target_context;
  std::uint32_t correlation;
  std::uint64_t reserved;
  std::uint64_t graph_node;
};

// kMemset.
struct CuptiMemsetRecord {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t padding;
  std::uint64_t reserved;
  std::uint64_t graph_node;
};

// kSynchronization. `event_sync` and `return_value` since 12.8.
struct CuptiSyncRecord {
  std::uint32_t kind;
  std::uint32_t type;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
  std::uint64_t event_sync;
  std::uint32_t return_value;
  std::uint32_t padding;
};

// kCudaEvent. From `device` on since 12.8.
struct CuptiEventRecord {
  std::uint32_t kind;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
  std::uint32_t padding;
  std::uint32_t device;
  std::uint32_t padding2;
  std::uint64_t reserved;
  std::uint64_t device_time;
  std::uint64_t event_sync;
};

// kGraphTrace.
struct CuptiGraphRecord {
  std::uint32_t kind;
  std::uint32_t correlation;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t graph;
  std::uint32_t context;
  std::uint32_t stream;
};

// kStream.
struct CuptiStreamRecord {
  std::uint32_t kind;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t priority;
  std::uint32_t flag;
  std::uint32_t correlation;
};

// kContext. From `parent` on since 12.x.
struct CuptiContextRecord {
  std::uint32_t kind;
  std::uint32_t context;
  std::uint32_t device;
  std::uint16_t compute_api;
  std::uint16_t null_stream;
  std::uint32_t parent;
  std::uint8_t is_green;
  std::uint8_t padding;
  std::uint16_t multiprocessors;
};

// kDevice. Bandwidth in kB/s, clock in kHz.
struct CuptiDeviceRecord {
  std::uint32_t kind;
  std::uint32_t flags;
  std::uint64_t memory_bandwidth;
  std::uint64_t memory_bytes;
  std::uint32_t constant_bytes;
  std::uint32_t l2_bytes;
  std::uint32_t threads_per_warp;
  std::uint32_t core_clock;
  std::uint32_t copy_engines;
  std::uint32_t multiprocessors;
  std::uint32_t max_ipc;
  std::uint32_t max_warps_per_sm;
  std::uint32_t max_blocks_per_sm;
  std::uint32_t max_shared_per_sm;
  std::uint32_t max_registers_per_sm;
  std::uint32_t max_registers_per_block;
  std::uint32_t max_shared_per_block;
  std::uint32_t max_threads_per_block;
  std::uint32_t max_block[3];
  std::uint32_t max_grid[3];
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint32_t id;
  std::uint32_t ecc;
  std::uint8_t uuid[16];
  std::uint64_t name;  // Pointer.
};

// CUpti_ActivityObjectKind: what an id of CuptiOverheadRecord means.
enum class CuptiObject : std::uint32_t { kProcess = 1, kThread = 2 };

// kOverhead. `correlation` since 12.2. `object`: process and thread, or device, context, stream.
struct CuptiOverheadRecord {
  std::uint32_t kind;
  std::uint32_t overhead_kind;
  std::uint32_t object_kind;
  std::uint32_t object[3];
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t reserved;
};

// kMemory.
struct CuptiMemoryRecord {
  std::uint32_t kind;
  std::uint32_t operation;
  std::uint32_t memory_kind;
  std::uint32_t correlation;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t time;
  std::uint64_t pc;
  std::uint32_t process;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint64_t name;  // Pointer.
  std::uint32_t is_async;
  std::uint32_t padding;
  std::uint32_t pool_type;
  std::uint32_t padding2;
  std::uint64_t pool_address;
  std::uint64_t pool_threshold;
  std::uint64_t pool_bytes;
  std::uint64_t pool_used;
};

// kMemoryPool. `used` since 11.x.
struct CuptiPoolRecord {
  std::uint32_t kind;
  std::uint32_t operation;
  std::uint32_t pool_type;
  std::uint32_t correlation;
  std::uint32_t process;
  std::uint32_t device;
  std::uint64_t min_bytes_to_keep;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t threshold;
  std::uint64_t time;
  std::uint64_t used;
};

// CUpti_ActivityUnifiedMemoryCounterKind.
enum class CuptiUnified : std::uint32_t {
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kCpuFault = 3,
  kGpuFault = 4,
  kDeviceToDevice = 8,
};

// kUnifiedMemory.
struct CuptiUnifiedRecord {
  std::uint32_t kind;
  std::uint32_t counter;
  std::uint64_t value;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t address;
  std::uint32_t source;
  std::uint32_t target;
  std::uint32_t stream;
  std::uint32_t process;
  std::uint32_t flags;
  std::uint32_t padding;
};

}  // namespace xsp::live
