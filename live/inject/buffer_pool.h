#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsp::inject {

// The buffers that CUPTI writes records to: a fixed number, handed round without locks between
// CUPTI's threads, which ask for empty and give back full ones, and the writer.
class BufferPool {
 public:
  // CUPTI recommends 1 to 10 MB. Memory that is never written to is never taken.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  static constexpr std::uint32_t kBuffers = 64;
  // What CUPTI gets when there is none left: a small buffer whose records are only counted.
  // Refusing it one crashed CUPTI before CUDA 12.9.
  static constexpr std::size_t kSpareBytes = std::size_t{256} << 10;

  // False if there is no memory.
  bool Begin();

  // [any thread] An empty buffer; null if all are in use.
  std::uint8_t* Take();
  // [any thread] Queues a buffer of ours with `valid` bytes of records. False if it is not ours: a
  // spare one.
  bool Complete(std::uint8_t* buffer, std::size_t valid);

  struct Completed {
    std::uint8_t* buffer = nullptr;
    std::size_t valid = 0;
    std::uint32_t number = 0;
  };
  // [writer] The next completed buffer, in the order of their completion. False: none.
  bool Next(Completed* out);
  // [writer] The buffer can be used again.
  void Give(const Completed& done);

  // A buffer outside the pool; null if there is no memory.
  static std::uint8_t* TakeSpare();
  static void GiveSpare(std::uint8_t* buffer);

  std::atomic<std::uint64_t> requested = 0;
  std::atomic<std::uint64_t> completed = 0;

 private:
  void Push(std::atomic<std::uint64_t>& stack, std::uint32_t number);

  struct Slot {
    std::atomic<std::uint32_t> next;  // Number + 1 of the next in its stack; 0: none.
    std::size_t valid;
  };

  std::uint8_t* memory_ = nullptr;
  Slot slots_[kBuffers] = {};
  // Stacks: tag << 32 | number + 1. The tag changes with every change.
  std::atomic<std::uint64_t> free_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::uint32_t queue_ = 0;  // What the writer took off `done_`, in order.
};

}  // namespace xsp::inject
