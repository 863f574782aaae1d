// See standin.h.
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "live/spool/cupti_records.h"
#include "tests/live/standin/standin.h"

namespace {

using namespace xsp::live;

using Result = int;
using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
using Callback = void (*)(void*, std::uint32_t, std::uint32_t, const void*);

constexpr Result kSuccess = 0;
constexpr Result kInvalidParameter = 1;
constexpr Result kMaxLimit = 12;
constexpr Result kInvalidKind = 21;
constexpr Result kMultipleSubscribers = 39;
constexpr std::uint64_t kNsPerMs = 1'000'000;

// How the test wants it to behave.
struct Behaviour {
  std::uint32_t version = 130401;
  std::map<std::uint32_t, Result> refuse;
  Result subscribe = kSuccess;
  std::uint64_t keep = 0;
  bool newest_first = false;
  bool per_thread = false;
  bool nested = false;
  std::uint64_t clock_step = 0;

  Behaviour() {
    const char* text = std::getenv("XSP_STANDIN");
    std::string words = text == nullptr ? "" : text;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      Read(words.substr(at, end - at));
      at = end + 1;
    }
  }

  void Read(const std::string& word) {
    unsigned a = 0, b = 0;
    if (std::sscanf(word.c_str(), "version=%u", &a) == 1) version = a;
    if (std::sscanf(word.c_str(), "refuse=%u:%u", &a, &b) == 2) refuse[a] = static_cast<int>(b);
    if (std::sscanf(word.c_str(), "subscribe=%u", &a) == 1) subscribe = static_cast<int>(a);
    if (std::sscanf(word.c_str(), "keep=%u", &a) == 1) keep = a;
    if (std::sscanf(word.c_str(), "clock-step=%u", &a) == 1) clock_step = a * kNsPerMs;
    if (word == "newest-first") newest_first = true;
    if (word == "per-thread") per_thread = true;
    if (word == "nested") nested = true;
  }
};

const Behaviour& How() {
  static const Behaviour behaviour;
  return behaviour;
}

// The sizes of records in CUPTI 11.8, 12.9 and 13.4, as their own iterators step (layouts_test.cc).
std::size_t SizeOf(CuptiKind kind) {
  const std::size_t age = How().version < 27 ? 0 : How().version < 130000 ? 1 : 2;
  const auto pick = [&](std::size_t a, std::size_t b, std::size_t c) {
    return age == 0 ? a : age == 1 ? b : c;
  };
  switch (kind) {
    case CuptiKind::kRuntime:
    case CuptiKind::kDriver:
      return 40;
    case CuptiKind::kConcurrentKernel:
      return pick(200, 208, 248);
    case CuptiKind::kMemcpy:
      return pick(88, 96, 112);
    case CuptiKind::kMemset:
      return pick(88, 88, 104);
    case CuptiKind::kSynchronization:
      return pick(40, 56, 56);
    case CuptiKind::kCudaEvent:
      return pick(24, 56, 56);
    case CuptiKind::kStream:
    case CuptiKind::kExternalCorrelation:
      return 24;
    case CuptiKind::kContext:
      return pick(16, 32, 40);
    case CuptiKind::kDevice:
      return pick(176, 184, 192);
    default:
      return 0;
  }
}

struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
  std::uint64_t number = 0;
};

// Everything is behind one lock, which is not held while the tool is called.
class Standin {
 public:
  static Standin& Get() {
    static Standin standin;
    return standin;
  }

  template <class Record>
  void Write(CuptiKind kind, Record record) {
    if (((enabled_.load(std::memory_order_relaxed) >> static_cast<int>(kind)) & 1) == 0) return;
    record.kind = static_cast<std::uint32_t>(kind);
    std::uint8_t bytes[256] = {};
    std::memcpy(bytes, &record, sizeof record);
    std::unique_lock lock(mutex_);
    Buffer& buffer = BufferOfThread();
    const std::size_t size = SizeOf(kind);
    while (buffer.data == nullptr || buffer.used + size > buffer.size) {
      if (buffer.data != nullptr) Give(lock, buffer);
      if (buffer.data == nullptr) Ask(lock, buffer);
      if (buffer.data == nullptr) {
        ++dropped_;
        return;
      }
    }
    std::memcpy(buffer.data + buffer.used, bytes, size);
    buffer.used += size;
  }

  Result Flush() {
    std::unique_lock lock(mutex_);
    std::vector<Buffer> ready = std::move(waiting_);
    waiting_.clear();
    for (auto& [thread, buffer] : buffers_) {
      if (buffer.data == nullptr || buffer.number == How().keep) continue;
      ready.push_back(buffer);
      buffer = {};
    }
    const Completed completed = completed_;
    lock.unlock();
    for (std::size_t i = ready.size(); i-- > 0;) {
      const Buffer& next = How().newest_first ? ready[i] : ready[ready.size() - 1 - i];
      completed(nullptr, 0, next.data, next.size, next.used);
    }
    return kSuccess;
  }

  std::atomic<std::uint64_t> enabled_ = 0;
  std::atomic<std::uint32_t> correlation_ = 0;
  std::mutex mutex_;
  Requested requested_ = nullptr;
  Completed completed_ = nullptr;
  Callback callback_ = nullptr;
  void* user_ = nullptr;
  std::set<std::pair<std::uint32_t, std::uint32_t>> wanted_callbacks_;
  std::size_t dropped_ = 0;
  bool system_threads_ = false;

 private:
  Buffer& BufferOfThread() {
    const auto thread = How().per_thread ? static_cast<int>(syscall(SYS_gettid)) : 0;
    return buffers_[thread];
  }

  void Ask(std::unique_lock<std::mutex>& lock, Buffer& buffer) {
    if (requested_ == nullptr) return;
    const Requested requested = requested_;
    Buffer fresh;
    std::size_t most = 0;
    fresh.number = ++asked_;
    lock.unlock();
    requested(&fresh.data, &fresh.size, &most);
    lock.lock();
    // Another thread may have been here meanwhile; then this one is kept in reserve, empty.
    if (buffer.data != nullptr) {
      waiting_.push_back(fresh);
    } else {
      buffer = fresh;
    }
  }

  void Give(std::unique_lock<std::mutex>& lock, Buffer& buffer) {
    const Buffer full = buffer;
    buffer = {};
    if (full.number == How().keep) return;
    if (How().newest_first) {
      waiting_.push_back(full);
      return;
    }
    const Completed completed = completed_;
    lock.unlock();
    completed(nullptr, 0, full.data, full.size, full.used);
    lock.lock();
  }

  std::map<int, Buffer> buffers_;
  std::vector<Buffer> waiting_;
  std::uint64_t asked_ = 0;
};

std::uint32_t ThreadId() {
  return Standin::Get().system_threads_ ? static_cast<std::uint32_t>(syscall(SYS_gettid))
                                        : static_cast<std::uint32_t>(pthread_self());
}

}  // namespace

// The names of CUPTI, so that dlsym finds them.
extern "C" {

Result cuptiGetVersion(std::uint32_t* version) {
  *version = How().version;
  return kSuccess;
}

Result cuptiGetTimestamp(std::uint64_t* time) {
  static const std::uint64_t began = [] {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return static_cast<std::uint64_t>(t.tv_sec);
  }();
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
          static_cast<std::uint64_t>(now.tv_nsec);
  if (static_cast<std::uint64_t>(now.tv_sec) > began) *time += How().clock_step;
  return kSuccess;
}

Result cuptiGetResultString(Result result, const char** text) {
  static thread_local char buffer[32];
  std::snprintf(buffer, sizeof buffer, "STANDIN_ERROR_%d", result);
  *text = buffer;
  return kSuccess;
}

Result cuptiGetCallbackName(std::uint32_t domain, std::uint32_t id, const char** name) {
  // Those that cuda_standin.cc uses. Never destroyed, as CUPTI's own tables.
  using Names = std::map<std::pair<std::uint32_t, std::uint32_t>, const char*>;
  static const Names& names = *new Names{
      {{2, 211}, "cudaLaunchKernel_v7000"},      {{1, 307}, "cuLaunchKernel"},
      {{2, 41}, "cudaMemcpyAsync_v3020"},        {{1, 311}, "cuMemcpyHtoDAsync_v2"},
      {{2, 51}, "cudaMemsetAsync_v3020"},        {{1, 219}, "cuMemsetD8Async"},
      {{2, 165}, "cudaDeviceSynchronize_v3020"}, {{1, 17}, "cuCtxSynchronize"},
      {{2, 135}, "cudaEventRecord_v3020"},       {{1, 121}, "cuEventRecord"},
      {{2, 131}, "cudaStreamSynchronize_v3020"}, {{1, 118}, "cuStreamSynchronize"},
      {{2, 311}, "cudaGraphLaunch_v10000"},      {{1, 514}, "cuGraphLaunch"},
  };
  auto it = names.find({domain, id});
  if (it == names.end()) return kInvalidParameter;
  *name = it->second;
  return kSuccess;
}

Result cuptiSubscribe(void** subscriber, Callback callback, void* user) {
  if (How().subscribe != kSuccess) return How().subscribe;
  Standin& standin = Standin::Get();
  std::lock_guard lock(standin.mutex_);
  if (standin.callback_ != nullptr) return kMultipleSubscribers;
  standin.callback_ = callback;
  standin.user_ = user;
  *subscriber = &standin;
  return kSuccess;
}

Result cuptiSubscribe_v2(void**, Callback, void*, void* parameters) {
  struct Parameters {
    std::size_t size;
    const char* name;
    char* other;
    std::size_t other_size;
  };
  const auto* p = static_cast<Parameters*>(parameters);
  std::snprintf(p->other, p->other_size, "CUPTI for the test");
  return kMultipleSubscribers;
}

Result cuptiUnsubscribe(void*) {
  Standin::Get().callback_ = nullptr;
  return kSuccess;
}

Result cuptiEnableCallback(std::uint32_t enable, void*, std::uint32_t domain, std::uint32_t id) {
  Standin& standin = Standin::Get();
  std::lock_guard lock(standin.mutex_);
  if (enable != 0) {
    standin.wanted_callbacks_.insert({domain, id});
  } else {
    standin.wanted_callbacks_.erase({domain, id});
  }
  return kSuccess;
}

Result cuptiActivityRegisterCallbacks(Requested requested, Completed completed) {
  Standin& standin = Standin::Get();
  std::lock_guard lock(standin.mutex_);
  standin.requested_ = requested;
  standin.completed_ = completed;
  return kSuccess;
}

Result cuptiActivityEnable(std::uint32_t kind) {
  auto refused = How().refuse.find(kind);
  if (refused != How().refuse.end()) return refused->second;
  Standin::Get().enabled_ |= std::uint64_t{1} << kind;
  return kSuccess;
}

Result cuptiActivityDisable(std::uint32_t kind) {
  Standin::Get().enabled_ &= ~(std::uint64_t{1} << kind);
  return kSuccess;
}

Result cuptiActivityFlushAll(std::uint32_t) { return Standin::Get().Flush(); }

// As the real one: records that do not fit are the end, an unknown kind is an error.
Result cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, void** record) {
  if (buffer == nullptr) return kInvalidParameter;
  std::uint8_t* at = buffer;
  if (*record != nullptr) {
    at = static_cast<std::uint8_t*>(*record);
    at += SizeOf(static_cast<CuptiKind>(*reinterpret_cast<std::uint32_t*>(at)));
  }
  if (at + sizeof(std::uint32_t) > buffer + valid) return kMaxLimit;
  const std::size_t size = SizeOf(static_cast<CuptiKind>(*reinterpret_cast<std::uint32_t*>(at)));
  if (size == 0) return kInvalidKind;
  if (at + size > buffer + valid) return kMaxLimit;
  *record = at;
  return kSuccess;
}

Result cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  Standin& standin = Standin::Get();
  std::lock_guard lock(standin.mutex_);
  *dropped = standin.dropped_;
  standin.dropped_ = 0;
  return kSuccess;
}

Result cuptiSetThreadIdType(int type) {
  Standin::Get().system_threads_ = type == 1;
  return kSuccess;
}

Result cuptiActivityConfigureUnifiedMemoryCounter(void*, std::uint32_t) { return kSuccess; }

// Nodes and graphs of the stand-in are their own ids.
Result cuptiGetGraphNodeId(void* node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uintptr_t>(node);
  return kSuccess;
}
Result cuptiGetGraphId(void* graph, std::uint32_t* id) {
  *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(graph));
  return kSuccess;
}
Result cuptiGetGraphExecId(void* exec, std::uint32_t* id) {
  *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(exec));
  return kSuccess;
}

// What the stand-in for the driver calls.
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
