#include "tests/live/standin/cupti_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace xsp::live {

Behaviour::Behaviour() {
  const char* text = std::getenv("XSP_STANDIN");
  std::string words = text == nullptr ? "" : text;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    Read(words.substr(at, end - at));
    at = end + 1;
  }
}

void Behaviour::Read(const std::string& word) {
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

Result Standin::Flush() {
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

Buffer& Standin::BufferOfThread() {
  const auto thread = How().per_thread ? static_cast<int>(syscall(SYS_gettid)) : 0;
  return buffers_[thread];
}

void Standin::Ask(std::unique_lock<std::mutex>& lock, Buffer& buffer) {
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

void Standin::Give(std::unique_lock<std::mutex>& lock, Buffer& buffer) {
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

std::uint32_t ThreadId() {
  return Standin::Get().system_threads_ ? static_cast<std::uint32_t>(syscall(SYS_gettid))
                                        : static_cast<std::uint32_t>(pthread_self());
}

}  // namespace xsp::live
