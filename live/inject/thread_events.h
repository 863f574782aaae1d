#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/spool/host_events.h"
#include "live/spool/session.h"

namespace xsp::inject {

// An event of the host before it is written down. What is 0 or empty is left out.
struct HostEvent {
  live::HostOp op;
  std::uint32_t domain = 0;
  std::uint64_t id = 0;
  std::uint64_t id2 = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
  std::uint32_t payload_type = 0;
  std::uint64_t payload = 0;
  std::uint64_t registered = 0;
  const char* text = nullptr;  // Not longer than kLongestText.
  std::size_t text_bytes = 0;
  bool text_was_cut = false;
  std::uint64_t time = 0;
};

// The buffers of events of this process. Each thread has one to itself, so recording an event takes
// no lock and no memory from anywhere: if there is no buffer, the event is lost and counted.
class ThreadEvents {
 public:
  // Takes `region` for this process; its chunks must be free. May be called again after a fork,
  // with another region: threads then forget the chunk they had.
  void Begin(live::Region* region);
  // In a forked child: the chunks are the parent's, and no thread may touch them.
  void ForgetAfterFork();

  // Writes an event of the calling thread down. Never waits. True if a chunk became full, so that
  // the writer has something to do.
  bool Add(const HostEvent& event);

  // For the writer: calls f(chunk, number, begin, end) for each chunk with something new in it;
  // f says whether the bytes [begin, end) were dealt with. Gives emptied chunks back.
  template <class F>
  void Drain(F f);

  std::atomic<std::uint64_t> dropped = 0;
  std::atomic<std::uint64_t> cut_texts = 0;

 private:
  live::Chunk* Take(std::uint32_t thread);
  void Give(live::Chunk& chunk, std::uint32_t number);
  static void OnThreadExit(void*);

  live::Region* region_ = nullptr;
  std::atomic<std::uint32_t> generation_ = 0;
};

// Moves on what a thread wrote to its chunk after the writer looked last.
template <class F>
void ThreadEvents::Drain(F f) {
  using namespace live;
  const std::uint32_t used = region_->chunks_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used && i < kChunks; ++i) {
    Chunk& chunk = region_->chunks[i];
    // The state first: once it says that nobody writes any more, `committed` is final.
    const ChunkState state = chunk.state.load(std::memory_order_acquire);
    if (state == ChunkState::kFree) continue;
    const std::uint32_t end = chunk.committed.load(std::memory_order_acquire);
    const std::uint32_t begin = chunk.flushed.load(std::memory_order_relaxed);
    if (end > begin) {
      f(chunk, i, begin, end);
      chunk.flushed.store(end, std::memory_order_release);
    }
    if (state == ChunkState::kClosed) Give(chunk, i);
  }
}

}  // namespace xsp::inject
