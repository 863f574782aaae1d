#include "live/inject/buffer_pool.h"

#include <sys/mman.h>

namespace xsp::inject {
namespace {

constexpr std::uint64_t kLow = 0xFFFFFFFF;

void* Map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool BufferPool::Begin() {
  memory_ = static_cast<std::uint8_t*>(Map(kBufferBytes * kBuffers));
  if (memory_ == nullptr) return false;
  free_ = done_ = 0;
  queue_ = 0;
  requested = completed = 0;
  for (std::uint32_t i = kBuffers; i-- > 0;) Push(free_, i);
  return true;
}

void BufferPool::Push(std::atomic<std::uint64_t>& stack, std::uint32_t number) {
  std::uint64_t top = stack.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    slots_[number].next.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
    next = ((top >> 32) + 1) << 32 | (number + 1);
  } while (!stack.compare_exchange_weak(top, next, std::memory_order_acq_rel));
}

std::uint8_t* BufferPool::Take() {
  std::uint64_t top = free_.load(std::memory_order_acquire);
  while ((top & kLow) != 0) {
    const auto number = static_cast<std::uint32_t>(top & kLow) - 1;
    const std::uint64_t next =
        ((top >> 32) + 1) << 32 | slots_[number].next.load(std::memory_order_relaxed);
    if (free_.compare_exchange_weak(top, next, std::memory_order_acq_rel)) {
      return memory_ + number * kBufferBytes;
    }
  }
  return nullptr;
}

bool BufferPool::Complete(std::uint8_t* buffer, std::size_t valid) {
  if (buffer < memory_ || buffer >= memory_ + kBufferBytes * kBuffers) return false;
  const auto number = static_cast<std::uint32_t>((buffer - memory_) / kBufferBytes);
  slots_[number].valid = valid < kBufferBytes ? valid : kBufferBytes;
  Push(done_, number);
  return true;
}

bool BufferPool::Next(Completed* out) {
  if (queue_ == 0) {
    // All that came since, newest first: turned round.
    std::uint64_t top = done_.load(std::memory_order_acquire);
    while ((top & kLow) != 0 &&
           !done_.compare_exchange_weak(top, ((top >> 32) + 1) << 32, std::memory_order_acq_rel)) {
    }
    for (auto at = static_cast<std::uint32_t>(top & kLow); at != 0;) {
      const std::uint32_t next = slots_[at - 1].next.load(std::memory_order_relaxed);
      slots_[at - 1].next.store(queue_, std::memory_order_relaxed);
      queue_ = at;
      at = next;
    }
  }
  if (queue_ == 0) return false;
  const std::uint32_t number = queue_ - 1;
  queue_ = slots_[number].next.load(std::memory_order_relaxed);
  *out = {memory_ + number * kBufferBytes, slots_[number].valid, number};
  return true;
}

void BufferPool::Give(const Completed& done) { Push(free_, done.number); }

std::uint8_t* BufferPool::TakeSpare() { return static_cast<std::uint8_t*>(Map(kSpareBytes)); }

void BufferPool::GiveSpare(std::uint8_t* buffer) { munmap(buffer, kSpareBytes); }

}  // namespace xsp::inject
