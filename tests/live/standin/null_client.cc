// An injected library that records nothing: it asks the stand-in for the same kinds of records as
// xsp's library does and gives every buffer back at once. What xsp's library costs is measured
// against this.
#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr std::size_t kBuffers = 4;

// Each in use or not: one thread at a time has a buffer.
alignas(8) std::uint8_t buffers[kBuffers][kBytes];
std::atomic<bool> in_use[kBuffers];

void OnRequested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = nullptr;
  *size = *most_records = 0;
  for (std::size_t i = 0; i < kBuffers; ++i) {
    if (in_use[i].exchange(true)) continue;
    *buffer = buffers[i];
    *size = kBytes;
    return;
  }
}

void OnCompleted(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  for (std::size_t i = 0; i < kBuffers; ++i) {
    if (buffer == buffers[i]) in_use[i] = false;
  }
}

void OnCallback(void*, std::uint32_t, std::uint32_t, const void*) {}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* file = std::getenv("XSP_LIVE_CUPTI");
  void* cupti = file == nullptr ? nullptr : dlopen(file, RTLD_NOW);
  if (cupti == nullptr) return 0;
  using Subscribe = int (*)(void**, decltype(&OnCallback), void*);
  using Register = int (*)(decltype(&OnRequested), decltype(&OnCompleted));
  using Enable = int (*)(std::uint32_t);
  void* subscriber = nullptr;
  reinterpret_cast<Subscribe>(dlsym(cupti, "cuptiSubscribe"))(&subscriber, OnCallback, nullptr);
  reinterpret_cast<Register>(dlsym(cupti, "cuptiActivityRegisterCallbacks"))(OnRequested,
                                                                             OnCompleted);
  const auto enable = reinterpret_cast<Enable>(dlsym(cupti, "cuptiActivityEnable"));
  for (std::uint32_t kind : {1, 2, 4, 5, 8, 9, 10, 17, 22, 36, 37, 38, 39}) enable(kind);
  return 1;
}
