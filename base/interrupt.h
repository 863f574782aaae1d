#pragma once

#include <atomic>
#include <cstdint>

// How long work finds out that the user wants it to stop. The program sets a check that throws;
// whoever writes for seconds, and whoever computes for others that do, calls CheckInterrupt() now
// and then (a few thousand times a second at most: it costs two loads) and lets the exception pass.
namespace xsp {

inline std::atomic<void (*)()> interrupt_check = nullptr;

inline void SetInterruptCheck(void (*check)()) { interrupt_check = check; }

inline void CheckInterrupt() {
  if (auto* const check = interrupt_check.load(std::memory_order_relaxed)) check();
}

// What would be left half-done if the program ended in its midst: a file under a temporary name, a
// program that was started. While one lives, Ctrl-C waits for the next CheckInterrupt; else it ends
// the program at once, whatever it computes.
class UnfinishedWork {
 public:
  UnfinishedWork() {
    try {
      ++count_;
      CheckInterrupt();  // Ctrl-C came just before: then nothing is begun.
    } catch (...) {
      --count_;
      throw;
    }
  }
  ~UnfinishedWork() { --count_; }
  UnfinishedWork(const UnfinishedWork&) = delete;
  UnfinishedWork& operator=(const UnfinishedWork&) = delete;

  static bool Any() { return count_ > 0; }

 private:
  static inline std::atomic<int> count_ = 0;
};

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
