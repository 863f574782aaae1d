#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "live/spool/cupti_records.h"

// What the stand-in for CUPTI (standin.h) knows: how it is to behave, and its buffers. CUPTI's
// entry points are in cupti_standin.cc, what writes records in cupti_records.cc.
namespace xsp::live {

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

  Behaviour();

 private:
  void Read(const std::string& word);
};
const Behaviour& How();

// The size of a record in the version that it plays.
std::size_t SizeOf(CuptiKind kind);

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

  Result Flush();

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
  Buffer& BufferOfThread();
  void Ask(std::unique_lock<std::mutex>& lock, Buffer& buffer);
  void Give(std::unique_lock<std::mutex>& lock, Buffer& buffer);

  std::map<int, Buffer> buffers_;
  std::vector<Buffer> waiting_;
  std::uint64_t asked_ = 0;
};

// As the tool asked for: of the system, or of pthreads.
std::uint32_t ThreadId();

}  // namespace xsp::live

extern "C" xsp::live::Result cuptiGetTimestamp(std::uint64_t* time);
