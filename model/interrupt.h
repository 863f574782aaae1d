#pragma once

#include <atomic>
#include <cstdint>

// How long work finds out that the user wants it to stop. The program sets a check that throws;
// whoever computes for seconds calls CheckInterrupt() now and then (a few thousand times a second
// at most: it costs two loads) and lets the exception pass.
namespace xsp {

inline std::atomic<void (*)()> interrupt_check = nullptr;

inline void SetInterruptCheck(void (*check)()) { interrupt_check = check; }

inline void CheckInterrupt() {
  if (auto* const check = interrupt_check.load(std::memory_order_relaxed)) check();
}

// For loops over events: asks once in a while.
class InterruptPoll {
 public:
  void operator()() {
    if (++calls_ % kCallsPerCheck == 0) CheckInterrupt();
  }

 private:
  static constexpr std::uint32_t kCallsPerCheck = 1 << 14;
  std::uint32_t calls_ = 0;
};

}  // namespace xsp
