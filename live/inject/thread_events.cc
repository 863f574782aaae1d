#include "live/inject/thread_events.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "live/inject/spool_file.h"

namespace xsp::inject {
namespace {

using namespace live;

// What a thread keeps for itself. Plain data: a thread that ends needs no destructor for it.
struct ThreadState {
  Chunk* chunk;
  std::uint32_t generation;  // Of ThreadEvents when the chunk was taken.
  std::uint32_t thread;
  bool busy;  // In the middle of an event: a signal handler that records must not interfere.
};
thread_local ThreadState this_thread;

pthread_key_t exit_key;
bool has_exit_key = false;

std::size_t SizeOf(const HostEvent& event, std::uint8_t* parts) {
  std::size_t bytes = sizeof(HostEventHead);
  *parts = 0;
  auto add = [&](bool wanted, HostPart part, std::size_t size) {
    if (!wanted) return;
    *parts |= part;
    bytes += size;
  };
  add(event.id != 0, kPartId, 8);
  add(event.id2 != 0, kPartId2, 8);
  add(event.color != 0 || event.category != 0, kPartLook, 8);
  add(event.payload_type != 0, kPartPayload, 16);
  add(event.registered != 0, kPartRegistered, 8);
  add(event.text != nullptr, kPartText, RoundUp8(4 + event.text_bytes));
  add(event.text_was_cut, kPartCut, 0);
  return bytes;
}

void Write(const HostEvent& event, std::size_t bytes, std::uint8_t parts, std::uint8_t* to) {
  auto put = [&](const auto& value) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  };
  put(HostEventHead{static_cast<std::uint16_t>(bytes), event.op, parts, event.domain, event.time});
  if ((parts & kPartId) != 0) put(event.id);
  if ((parts & kPartId2) != 0) put(event.id2);
  if ((parts & kPartLook) != 0) {
    put(event.color);
    put(event.category);
  }
  if ((parts & kPartPayload) != 0) {
    put(std::uint64_t{event.payload_type});
    put(event.payload);
  }
  if ((parts & kPartRegistered) != 0) put(event.registered);
  if ((parts & kPartText) != 0) {
    put(static_cast<std::uint32_t>(event.text_bytes));
    std::memcpy(to, event.text, event.text_bytes);
    const std::size_t used = 4 + event.text_bytes;
    std::memset(to + event.text_bytes, 0, RoundUp8(used) - used);
  }
}

void Close(ThreadState& state) {
  if (state.chunk == nullptr) return;
  state.chunk->state.store(ChunkState::kClosed, std::memory_order_release);
  state.chunk = nullptr;
}

}  // namespace

void ThreadEvents::OnThreadExit(void* self) {
  ThreadState& state = this_thread;
  // Busy for ever: nothing this thread still does on its way out may take a chunk that nobody
  // would close.
  state.busy = true;
  const auto* events = static_cast<const ThreadEvents*>(self);
  if (state.generation == events->generation_.load(std::memory_order_relaxed)) Close(state);
}

void ThreadEvents::Begin(Region* region) {
  if (!has_exit_key) has_exit_key = pthread_key_create(&exit_key, OnThreadExit) == 0;
  region_ = region;
  dropped = 0;
  cut_texts = 0;
  generation_.fetch_add(1);
}

void ThreadEvents::ForgetAfterFork() {
  region_ = nullptr;
  generation_.fetch_add(1);
}

Chunk* ThreadEvents::Take(std::uint32_t thread) {
  std::uint32_t number = kChunks;
  std::uint64_t top = region_->free_chunks.load(std::memory_order_acquire);
  while ((top & 0xFFFFFFFF) != 0) {
    const auto candidate = static_cast<std::uint32_t>(top & 0xFFFFFFFF) - 1;
    // The upper half counts changes: the same chunk on top again is not the same stack.
    const std::uint64_t next = ((top >> 32) + 1) << 32 |
                               region_->chunks[candidate].next_free.load(std::memory_order_relaxed);
    if (region_->free_chunks.compare_exchange_weak(top, next, std::memory_order_acq_rel)) {
      number = candidate;
      break;
    }
  }
  if (number == kChunks) {
    number = region_->chunks_used.load(std::memory_order_relaxed);
    while (number < kChunks && !region_->chunks_used.compare_exchange_weak(number, number + 1)) {
    }
    if (number >= kChunks) return nullptr;
  }
  Chunk& chunk = region_->chunks[number];
  chunk.thread = thread;
  chunk.use = region_->takes.fetch_add(1, std::memory_order_relaxed) + 1;
  chunk.committed.store(0, std::memory_order_relaxed);
  chunk.flushed.store(0, std::memory_order_relaxed);
  chunk.state.store(ChunkState::kOwned, std::memory_order_release);
  return &chunk;
}

void ThreadEvents::Give(Chunk& chunk, std::uint32_t number) {
  chunk.state.store(ChunkState::kFree, std::memory_order_release);
  std::uint64_t top = region_->free_chunks.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    chunk.next_free.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
    next = ((top >> 32) + 1) << 32 | (number + 1);
  } while (!region_->free_chunks.compare_exchange_weak(top, next, std::memory_order_acq_rel));
}

bool ThreadEvents::Add(const HostEvent& event) {
  ThreadState& state = this_thread;
  if (state.busy) {
    dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  state.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  bool filled = false;
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  if (state.generation != generation) {
    state = {nullptr, generation, static_cast<std::uint32_t>(syscall(SYS_gettid)), true};
    if (has_exit_key) pthread_setspecific(exit_key, this);
  }
  std::uint8_t parts = 0;
  const std::size_t bytes = SizeOf(event, &parts);
  std::uint32_t at =
      state.chunk == nullptr ? 0 : state.chunk->committed.load(std::memory_order_relaxed);
  if (state.chunk != nullptr && at + bytes > kChunkCapacity) {
    Close(state);
    filled = true;
  }
  if (state.chunk == nullptr) {
    state.chunk = Take(state.thread);
    at = 0;
  }
  if (state.chunk == nullptr) {
    dropped.fetch_add(1, std::memory_order_relaxed);
  } else {
    Write(event, bytes, parts, state.chunk->data + at);
    state.chunk->committed.store(at + static_cast<std::uint32_t>(bytes), std::memory_order_release);
    if (event.text_was_cut) cut_texts.fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  state.busy = false;
  return filled;
}

}  // namespace xsp::inject
