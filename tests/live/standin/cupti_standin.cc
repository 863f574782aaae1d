// See standin.h.
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/live/standin/cupti_state.h"

using namespace xsp::live;

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

}  // extern "C"
