#pragma once

#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/spool/format.h"

// Memory that `xsp live` shares with the processes it records. It holds the buffers into which
// threads write their events, so that what a process had not written to its spool when it was
// killed, or left by _exit or exec, is still there: `xsp live` adds it to the spool afterwards.
// A process that is recorded without `xsp live` keeps the same structures in memory of its own.
namespace xsp::live {

inline constexpr std::uint64_t kSessionMagic = 0x4553534950535801;
inline constexpr std::uint32_t kRegions = 256;  // Processes at a time; more have own memory.
inline constexpr std::uint32_t kChunks = 1024;  // Per process: threads at a time, and queued ones.
inline constexpr std::uint32_t kChunkBytes = 16 * 1024;

enum class ChunkState : std::uint32_t {
  kFree = 0,
  kOwned,   // A thread writes to it.
  kClosed,  // Nobody writes any more; free once the writer has taken everything.
};

// A buffer of one thread. The owner writes events and then moves `committed`; the writer follows
// with `flushed`.
struct Chunk {
  std::atomic<ChunkState> state;
  std::atomic<std::uint32_t> committed;
  std::atomic<std::uint32_t> flushed;
  std::uint32_t use;  // Grows with every chunk that is taken, so it tells their order.
  std::uint32_t thread;
  std::atomic<std::uint32_t> next_free;  // Number + 1 of the next chunk in the stack; 0: none.
  std::uint32_t reserved[2];
  std::uint8_t data[kChunkBytes - 32];
};
static_assert(sizeof(Chunk) == kChunkBytes);
inline constexpr std::uint32_t kChunkCapacity = sizeof(Chunk::data);

// What one process keeps in shared memory.
struct Region {
  std::atomic<std::uint32_t> owner;      // Process id; 0: free.
  std::atomic<std::uint32_t> ever_used;  // 1: it was taken at least once.
  std::atomic<std::uint32_t> cupti;      // The version of CUPTI that records here; 0: none.
  // Its name space of process ids; 0: not known. Where it is another one than that of `xsp live`,
  // only `alive` tells whether the process is still there: its thread holds that as long as it
  // runs.
  std::uint64_t pid_namespace;
  std::atomic<std::uint32_t> is_held;  // 1: the thread has taken `alive`.
  pthread_mutex_t alive;               // Robust: the system lets go of it for who is gone.
  char spool[120];                     // File name of its spool.
  CountsFront counts;                  // As of the last time that the writer looked.
  // Chunks that were ever used are those below this number: untouched ones take no memory.
  std::atomic<std::uint32_t> chunks_used;
  std::atomic<std::uint64_t>
      free_chunks;                   // A stack: tag << 32 | chunk + 1; 0 in the low half: empty.
  std::atomic<std::uint32_t> takes;  // How often a chunk was taken: gives Chunk::use.
  alignas(4096) Chunk chunks[kChunks];
};

struct SessionHead {
  std::uint64_t magic;
  std::uint32_t region_bytes;      // sizeof(Region): who differs in it must not write there.
  std::uint32_t regions;           // How many follow: kRegions, or 0 if there is no room for them.
  std::uint64_t most_spool_bytes;  // --max-size, of all processes together.
  std::atomic<std::uint64_t> spool_bytes;
  std::atomic<std::uint64_t> kept;  // Records and events of all processes.
  std::atomic<std::uint64_t> dropped;
  std::atomic<std::uint32_t> processes;  // That started to record.
  std::atomic<std::uint32_t> failed;     // That could not: the last errno.
  std::atomic<std::uint32_t> is_over;  // 1: `xsp live` has taken what there is; no more is wanted.
};

// The name space of process ids that the caller lives in; 0: the system does not say.
inline std::uint64_t OwnPidNamespace() {
  struct stat facts;
  return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

struct Session {
  alignas(4096) SessionHead head;
  alignas(4096) Region regions[kRegions];
};

}  // namespace xsp::live
