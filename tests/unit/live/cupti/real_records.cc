// Built once for each version of CUPTI, with that version's header and XSP_CUPTI as its number:
// 118 is CUDA 11.8.
#include "tests/unit/live/cupti/real_records.h"

#include <cupti_activity.h>

#include <cstring>

namespace xsp::live::test {
namespace {

// The newest form of each record in this header: the one that its libcupti writes.
#if XSP_CUPTI == 118
#define XSP_MAKE_RECORDS MakeRecords118
using Synchronization = CUpti_ActivitySynchronization;
using CudaEvent = CUpti_ActivityCudaEvent;
using GraphTrace = CUpti_ActivityGraphTrace;
using Overhead = CUpti_ActivityOverhead;
using Memory = CUpti_ActivityMemory3;
using UnifiedMemory = CUpti_ActivityUnifiedMemoryCounter2;
#else
using Synchronization = CUpti_ActivitySynchronization2;
using CudaEvent = CUpti_ActivityCudaEvent2;
using GraphTrace = CUpti_ActivityGraphTrace2;
using Overhead = CUpti_ActivityOverhead3;
using Memory = CUpti_ActivityMemory4;
using UnifiedMemory = CUpti_ActivityUnifiedMemoryCounter3;
#endif

#if XSP_CUPTI == 118
using Kernel = CUpti_ActivityKernel8;
using Memcpy = CUpti_ActivityMemcpy5;
using Memset = CUpti_ActivityMemset4;
using Context = CUpti_ActivityContext;
using Device = CUpti_ActivityDevice4;
using MemoryPool = CUpti_ActivityMemoryPool2;
#elif XSP_CUPTI == 129
#define XSP_MAKE_RECORDS MakeRecords129
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy6;
using Memset = CUpti_ActivityMemset4;
using Context = CUpti_ActivityContext3;
using Device = CUpti_ActivityDevice5;
using MemoryPool = CUpti_ActivityMemoryPool2;
#elif XSP_CUPTI == 130
#define XSP_MAKE_RECORDS MakeRecords130
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using Memset = CUpti_ActivityMemset4;
using Context = CUpti_ActivityContext3;
using Device = CUpti_ActivityDevice5;
using MemoryPool = CUpti_ActivityMemoryPool3;
#else
#define XSP_MAKE_RECORDS MakeRecords134
using Kernel = CUpti_ActivityKernel13;
using Memcpy = CUpti_ActivityMemcpy7;
using Memset = CUpti_ActivityMemset5;
using Context = CUpti_ActivityContext4;
using Device = CUpti_ActivityDevice6;
using MemoryPool = CUpti_ActivityMemoryPool3;
#endif

// Adds records one behind the other. Bytes that nobody sets are not 0, so that a field which is
// read from the wrong place shows.
class Buffer {
 public:
  explicit Buffer(std::uint64_t start) : start_(start) {}

  std::uint64_t At(std::uint64_t time) const { return start_ + time; }

  template <class Record, class Fill>
  void AddTwo(CUpti_ActivityKind kind, Fill fill) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      Record record;
      std::memset(static_cast<void*>(&record), 0x5A, sizeof record);
      record.kind = kind;
      fill(record, i);
      Add(&record, sizeof record);
    }
  }

  RealRecords Take() {
    // CUPTI gives back buffers with room behind the last record; it starts zeroed.
    made_.buffer.resize(made_.buffer.size() + 8);
    return std::move(made_);
  }

 private:
  void Add(const void* record, std::size_t bytes) {
    made_.buffer.resize((made_.bytes + bytes) / sizeof(std::uint64_t));
    std::memcpy(reinterpret_cast<char*>(made_.buffer.data()) + made_.bytes, record, bytes);
    made_.bytes += bytes;
    made_.sizes.push_back(bytes);
  }

  std::uint64_t start_;
  RealRecords made_;
};

// What all work on a device has in common.
template <class Record>
void Place(const Buffer& buffer, Record& r, std::uint64_t begin, std::uint64_t end,
           std::uint32_t correlation) {
  r.start = buffer.At(begin);
  r.end = buffer.At(end);
  r.deviceId = 1;
  r.contextId = 2;
  r.streamId = 7;
  r.correlationId = correlation;
}

void AddPlaces(Buffer& buffer) {
  buffer.AddTwo<Device>(CUPTI_ACTIVITY_KIND_DEVICE, [](Device& r, std::uint32_t i) {
    r.globalMemoryBandwidth = 1'555'200'000;
    r.globalMemorySize = 42'405'855'232;
    r.l2CacheSize = 41'943'040;
    r.numThreadsPerWarp = 32;
    r.coreClockRate = 1'410'000;
    r.numMemcpyEngines = 3;
    r.numMultiprocessors = 108;
    r.maxWarpsPerMultiprocessor = 64;
    r.maxBlocksPerMultiprocessor = 31;
    r.maxSharedMemoryPerMultiprocessor = 167'936;
    r.maxRegistersPerMultiprocessor = 65'536;
    r.maxRegistersPerBlock = 65'535;
    r.maxSharedMemoryPerBlock = 49'152;
    r.maxThreadsPerBlock = 1'024;
    r.computeCapabilityMajor = 8;
    r.computeCapabilityMinor = 6;
    r.id = i;
    std::memset(&r.uuid, static_cast<int>(0x10 + i), sizeof r.uuid);
    r.name = i == 0 ? "GPU zero" : "GPU one";
  });
  buffer.AddTwo<Context>(CUPTI_ACTIVITY_KIND_CONTEXT, [](auto& r, std::uint32_t i) {
    r.contextId = i + 1;
    r.deviceId = i;
    r.nullStreamId = 7;
    if constexpr (requires { r.parentContextId; }) r.parentContextId = 0;
    if constexpr (requires { r.isGreenContext; }) r.isGreenContext = 0;
  });
  buffer.AddTwo<CUpti_ActivityStream>(
      CUPTI_ACTIVITY_KIND_STREAM, [](CUpti_ActivityStream& r, std::uint32_t i) {
        r.contextId = 2;
        r.streamId = 7 + 6 * i;
        r.priority = i == 0 ? 0 : static_cast<std::uint32_t>(-2);
        r.flag = i == 0 ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
                        : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
      });
}

void AddCalls(Buffer& buffer) {
  auto fill = [&](CUpti_ActivityAPI& r, std::uint32_t cbid, std::uint64_t begin,
                  std::uint32_t correlation) {
    r.cbid = cbid;
    r.start = buffer.At(begin);
    r.end = buffer.At(begin + 50);
    r.processId = 100;
    r.threadId = 7;
    r.correlationId = correlation;
    r.returnValue = 0;
  };
  constexpr std::uint32_t kCudaLaunchKernel = 211, kCuLaunchKernel = 307;
  buffer.AddTwo<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME,
                                   [&](CUpti_ActivityAPI& r, std::uint32_t i) {
                                     fill(r, kCudaLaunchKernel, 100 + 100 * i, 11 + i);
                                   });
  buffer.AddTwo<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER,
                                   [&](CUpti_ActivityAPI& r, std::uint32_t i) {
                                     fill(r, kCuLaunchKernel, 300 + 100 * i, 13 + i);
                                   });
}

void AddKernels(Buffer& buffer) {
  buffer.AddTwo<Kernel>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, [&](Kernel& r, std::uint32_t i) {
    Place(buffer, r, 1'000 + 100 * i, 1'050 + 100 * i, 11 + i);
    r.registersPerThread = 40;
    r.gridX = 21;
    r.gridY = 22;
    r.gridZ = 23;
    r.blockX = 31;
    r.blockY = 32;
    r.blockZ = 1;
    r.staticSharedMemory = 512;
    r.dynamicSharedMemory = 1'024;
    r.sharedMemoryExecuted = 32'768;
    r.localMemoryPerThread = 16;
    r.localMemoryTotal = 4'096;
    r.name = "_Z6kernelILi4EEvPfi";
    r.queued = r.submitted = 0;
    r.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
    r.graphNodeId = i == 0 ? 0 : 0x100000009;
    r.graphId = i == 0 ? 0 : 5;
    r.clusterX = 2;
    r.clusterY = r.clusterZ = 1;
  });
}

void AddCopies(Buffer& buffer) {
  buffer.AddTwo<Memcpy>(CUPTI_ACTIVITY_KIND_MEMCPY, [&](auto& r, std::uint32_t i) {
    Place(buffer, r, 1'200 + 100 * i, 1'250 + 100 * i, 12);
    r.copyKind = i == 0 ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    r.srcKind = i == 0 ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r.dstKind = i == 0 ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
    r.bytes = 4'096;
    r.graphNodeId = 0;
    r.graphId = 0;
    if constexpr (requires { r.copyCount; }) r.copyCount = 3;
  });
  using Peer = CUpti_ActivityMemcpyPtoP4;
  buffer.AddTwo<Peer>(CUPTI_ACTIVITY_KIND_MEMCPY2, [&](Peer& r, std::uint32_t i) {
    Place(buffer, r, 1'400 + 100 * i, 1'450 + 100 * i, 13);
    r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    r.srcKind = r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r.flags = 0;
    r.bytes = 8'192;
    r.srcDeviceId = 1;
    r.dstDeviceId = 0;
    r.graphNodeId = 0;
  });
  buffer.AddTwo<Memset>(CUPTI_ACTIVITY_KIND_MEMSET, [&](Memset& r, std::uint32_t i) {
    Place(buffer, r, 1'600 + 100 * i, 1'650 + 100 * i, 14);
    r.value = 7;
    r.bytes = 16'384;
    r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r.graphNodeId = 0;
  });
  buffer.AddTwo<GraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, [&](GraphTrace& r, std::uint32_t i) {
    Place(buffer, r, 1'800 + 100 * i, 1'850 + 100 * i, 14);
    r.graphId = 5;
  });
}

void AddWaits(Buffer& buffer) {
  buffer.AddTwo<Synchronization>(
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, [&](auto& r, std::uint32_t i) {
        r.type = i == 0 ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE
                        : CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
        r.start = buffer.At(310 + 100 * i);
        r.end = buffer.At(320 + 100 * i);
        r.correlationId = 13 + i;
        r.contextId = 2;
        r.streamId = 7;
        r.cudaEventId = i == 0 ? CUPTI_SYNCHRONIZATION_INVALID_VALUE : 9;
        if constexpr (requires { r.cudaEventSyncId; }) r.cudaEventSyncId = 77;
      });
  buffer.AddTwo<CudaEvent>(CUPTI_ACTIVITY_KIND_CUDA_EVENT, [&](auto& r, std::uint32_t i) {
    r.correlationId = 13 + i;
    r.contextId = 2;
    r.streamId = 7;
    r.eventId = 9;
    if constexpr (requires { r.cudaEventSyncId; }) r.cudaEventSyncId = 77;
    if constexpr (requires { r.deviceTimestamp; }) r.deviceTimestamp = buffer.At(1'999);
  });
}

void AddMemory(Buffer& buffer) {
  buffer.AddTwo<Memory>(CUPTI_ACTIVITY_KIND_MEMORY2, [&](Memory& r, std::uint32_t i) {
    r.memoryOperationType = i == 0 ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                   : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r.correlationId = 11;
    r.address = 0x7F0000000000;
    r.bytes = 1'048'576;
    r.timestamp = buffer.At(120 + i);
    r.processId = 100;
    r.deviceId = 1;
    r.contextId = 2;
    r.streamId = 7;
    r.name = nullptr;
    r.memoryPoolConfig.address = 0x7F1100000000;
    r.memoryPoolConfig.pool.size = 33'554'432;
    r.memoryPoolConfig.utilizedSize = 2'097'152;
  });
  buffer.AddTwo<MemoryPool>(CUPTI_ACTIVITY_KIND_MEMORY_POOL, [&](MemoryPool& r, std::uint32_t i) {
    r.memoryPoolOperationType = i == 0 ? CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED
                                       : CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
    r.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
    r.correlationId = 12;
    r.processId = 100;
    r.deviceId = 1;
    r.address = 0x7F1100000000;
    r.size = 33'554'432;
    r.timestamp = buffer.At(220 + i);
    r.utilizedSize = 2'097'152;
  });
  buffer.AddTwo<UnifiedMemory>(
      CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, [&](UnifiedMemory& r, std::uint32_t i) {
        r.counterKind = i == 0 ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                               : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;
        r.value = i == 0 ? 65'536 : 12;
        r.start = buffer.At(2'000 + 100 * i);
        r.end = buffer.At(2'050 + 100 * i);
        r.address = 0x7F2200000000;
        r.srcId = i == 0 ? 0 : 1;
        r.dstId = 1;
        r.processId = 100;
        if (i == 0) {
          r.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH;
        } else {
          r.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE;
        }
      });
}

void AddRest(Buffer& buffer) {
  buffer.AddTwo<Overhead>(CUPTI_ACTIVITY_KIND_OVERHEAD, [&](auto& r, std::uint32_t i) {
    r.overheadKind = i == 0 ? CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER
                            : CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
    r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    r.objectId.pt.processId = 100;
    r.objectId.pt.threadId = 7;
    r.start = buffer.At(500 + 100 * i);
    r.end = buffer.At(510 + 100 * i);
    if constexpr (requires { r.correlationId; }) r.correlationId = 0;
  });
  using External = CUpti_ActivityExternalCorrelation;
  buffer.AddTwo<External>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                          [](External& r, std::uint32_t i) {
                            r.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
                            r.externalId = 1'000 + i;
                            r.correlationId = 11 + i;
                          });
}

}  // namespace

RealRecords XSP_MAKE_RECORDS(std::uint64_t start) {
  Buffer buffer(start);
  AddPlaces(buffer);
  AddCalls(buffer);
  AddKernels(buffer);
  AddCopies(buffer);
  AddWaits(buffer);
  AddMemory(buffer);
  AddRest(buffer);
  return buffer.Take();
}

}  // namespace xsp::live::test
