// What the stand-in for the driver calls: see standin.h.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/live/standin/cupti_state.h"
#include "tests/live/standin/standin.h"

using namespace xsp::live;

extern "C" {

std::uint64_t standin_now() {
  std::uint64_t now = 0;
  cuptiGetTimestamp(&now);
  return now;
}

std::uint32_t standin_begin_call(int) { return ++Standin::Get().correlation_; }

std::uint32_t standin_work_id(std::uint32_t correlation) {
  constexpr std::uint32_t kInner = 0x40000000;
  return How().nested ? correlation | kInner : correlation;
}

void standin_end_call(int driver, std::uint32_t cbid, std::uint32_t correlation,
                      std::uint64_t start, std::uint32_t result) {
  Standin& standin = Standin::Get();
  CuptiApiRecord record = {};
  record.cbid = cbid;
  record.start = start;
  record.end = standin_now();
  record.process = static_cast<std::uint32_t>(getpid());
  record.thread = ThreadId();
  record.correlation = correlation;
  record.return_value = result;
  if (How().nested && driver == 0) {
    CuptiApiRecord inner = record;
    inner.cbid = 307;
    inner.correlation = standin_work_id(correlation);
    standin.Write(CuptiKind::kDriver, inner);
  }
  standin.Write(driver != 0 ? CuptiKind::kDriver : CuptiKind::kRuntime, record);
}

void standin_kernel(const StandinWork* work, const char* name, const int* grid, const int* block,
                    std::uint64_t graph_node) {
  CuptiKernelRecord record = {};
  record.registers = 32;
  record.start = work->start;
  record.end = record.completed = work->end;
  record.device = work->device;
  record.context = work->context;
  record.stream = work->stream;
  record.correlation = work->correlation;
  record.grid_x = grid[0];
  record.grid_y = grid[1];
  record.grid_z = grid[2];
  record.block_x = block[0];
  record.block_y = block[1];
  record.block_z = block[2];
  record.name = reinterpret_cast<std::uint64_t>(name);
  record.executed_shared = 32768;
  record.graph_node = graph_node;
  Standin::Get().Write(CuptiKind::kConcurrentKernel, record);
}

void standin_copy(const StandinWork* work, int kind, int source, int target, std::uint64_t bytes) {
  CuptiMemcpyRecord record = {};
  record.copy_kind = static_cast<std::uint8_t>(kind);
  record.source_kind = static_cast<std::uint8_t>(source);
  record.target_kind = static_cast<std::uint8_t>(target);
  record.bytes = bytes;
  record.start = work->start;
  record.end = work->end;
  record.device = work->device;
  record.context = work->context;
  record.stream = work->stream;
  record.correlation = work->correlation;
  record.copy_count = 1;
  Standin::Get().Write(CuptiKind::kMemcpy, record);
}

void standin_memset(const StandinWork* work, std::uint32_t value, std::uint64_t bytes) {
  CuptiMemsetRecord record = {};
  record.value = value;
  record.bytes = bytes;
  record.start = work->start;
  record.end = work->end;
  record.device = work->device;
  record.context = work->context;
  record.stream = work->stream;
  record.correlation = work->correlation;
  record.memory_kind = 3;
  Standin::Get().Write(CuptiKind::kMemset, record);
}

void standin_sync(const StandinWork* work, std::uint32_t event) {
  CuptiSyncRecord record = {};
  record.start = work->start;
  record.end = work->end;
  record.correlation = work->correlation;
  record.context = work->context;
  record.stream = work->stream;
  record.event = event;
  Standin::Get().Write(CuptiKind::kSynchronization, record);
}

void standin_event(const StandinWork* work, std::uint32_t event) {
  CuptiEventRecord record = {};
  record.correlation = work->correlation;
  record.context = work->context;
  record.stream = work->stream;
  record.event = event;
  record.device = work->device;
  Standin::Get().Write(CuptiKind::kCudaEvent, record);
}

void standin_device(std::uint32_t id) {
  static const char name[] = "Stand-in GPU";
  CuptiDeviceRecord record = {};
  record.memory_bandwidth = 1'555'200'000;
  record.memory_bytes = std::uint64_t{40} << 30;
  record.l2_bytes = 40 << 20;
  record.threads_per_warp = 32;
  record.core_clock = 1'410'000;
  record.copy_engines = 3;
  record.multiprocessors = 108;
  record.max_warps_per_sm = 64;
  record.compute_major = 8;
  record.id = id;
  record.uuid[0] = 0x5a;
  record.uuid[15] = static_cast<std::uint8_t>(id);
  record.name = reinterpret_cast<std::uint64_t>(name);
  Standin::Get().Write(CuptiKind::kDevice, record);
}

void standin_context(std::uint32_t context, std::uint32_t device) {
  CuptiContextRecord record = {};
  record.context = context;
  record.device = device;
  record.null_stream = 7;
  Standin::Get().Write(CuptiKind::kContext, record);
}

void standin_stream(std::uint32_t context, std::uint32_t stream, int flag) {
  CuptiStreamRecord record = {};
  record.context = context;
  record.stream = stream;
  record.flag = static_cast<std::uint32_t>(flag);
  Standin::Get().Write(CuptiKind::kStream, record);
}

void standin_callback(std::uint32_t domain, std::uint32_t id, const void* data) {
  Standin& standin = Standin::Get();
  Callback callback = nullptr;
  {
    std::lock_guard lock(standin.mutex_);
    if (standin.wanted_callbacks_.contains({domain, id})) callback = standin.callback_;
  }
  if (callback != nullptr) callback(standin.user_, domain, id, data);
}

}  // extern "C"
