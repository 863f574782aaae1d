#pragma once

#include <cstddef>
#include <cstdint>

#include "live/spool/checksum.h"
#include "live/spool/cupti_records.h"

// The spool: what the injected library leaves behind of one process. docs/live.md describes it.
//
// A file is a FileHead and then blocks, appended one by one, each whole or not at all as far as
// anyone can tell: a block whose checksum is wrong, and everything behind it, does not count. A
// process that is killed leaves a sound spool that ends with what it had written by then.
//
// Numbers are little-endian, as on every machine that CUDA runs on. All parts have a size that is a
// multiple of 8. Everything here is plain data and needs no library.
namespace xsp::live {

inline constexpr char kSpoolMagic[8] = {'X', 'S', 'P', 'S', 'P', 'O', 'O', 'L'};
// A reader takes any minor version of its own major one: new minors add kinds of blocks, or fields
// at the end of a front.
inline constexpr std::uint16_t kSpoolMajor = 1;
inline constexpr std::uint16_t kSpoolMinor = 0;

struct FileHead {
  char magic[8];
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t reserved;
};

enum class BlockType : std::uint32_t {
  kProcess = 1,     // Who this is: ProcessFront. The first block of every spool.
  kClock = 2,       // Readings of several clocks: ClockReading, one or more.
  kTexts = 3,       // Names that records refer to: no front, the body holds TextHeads.
  kRecords = 4,     // A buffer of CUPTI: RecordsFront and the sizes of its records; as it was.
  kHostEvents = 5,  // Events of one thread: HostEventsFront; the body holds them (host_events.h).
  kNote = 6,        // Something to tell the user: NoteFront, and a text.
  kCounts = 7,      // How much was recorded and lost so far: CountsFront. The last one holds.
};

inline constexpr std::uint32_t kBlockMagic = 0x4B4C4258;  // "XBLK".

// A block is a head, a front of a few facts, and a body.
struct BlockHead {
  std::uint32_t magic;
  BlockType type;
  std::uint32_t front_bytes;
  std::uint32_t reserved;
  std::uint64_t body_bytes;
  std::uint64_t sequence;  // 0, 1, 2, ... in a file.
  std::uint64_t checksum;  // ChecksumOf.
};

// Over the head up to the checksum, then the front, then the body, each seeded by the one before.
inline std::uint64_t ChecksumOf(const BlockHead& head, const void* front, const void* body) {
  std::uint64_t sum = Xxh64::Of(&head, offsetof(BlockHead, checksum), 0);
  sum = Xxh64::Of(front, head.front_bytes, sum);
  return Xxh64::Of(body, head.body_bytes, sum);
}

constexpr std::size_t RoundUp8(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

// Nothing here but the program's name: no arguments, no environment.
struct ProcessFront {
  std::uint32_t pid;
  std::uint32_t parent;
  std::uint32_t kinds;  // KindSet that was asked for.
  // Process id of the recorded process that this one was forked from, and whose domains, strings
  // and categories it uses; 0: none.
  std::uint32_t origin;
  std::uint64_t monotonic_ns;  // CLOCK_MONOTONIC and CLOCK_REALTIME when the library started.
  std::uint64_t realtime_ns;
  char program[64];  // Texts end with a zero byte.
  char system[64];   // "Linux 6.1.0-18-amd64".
};

// CUPTI's clock lies between two readings of CLOCK_MONOTONIC, which is the clock of host events.
// `cupti` 0: no CUPTI.
struct ClockReading {
  std::uint64_t before;
  std::uint64_t cupti;
  std::uint64_t realtime;
  std::uint64_t after;
};

// What the key of a text is.
enum class TextSpace : std::uint32_t {
  kPointer = 1,        // A `const char*` in records of CUPTI.
  kCall = 2,           // The name of a call: its layer (0 runtime, 1 driver) << 32 | cbid.
  kThread = 3,         // The name of a thread: its priority << 32 | thread id.
  kCuptiPath = 4,      // Which libcupti was used; key: its version.
  kDriverVersion = 5,  // Of the kernel module, "580.95.05"; key: CUDA version of the driver, 13000.
};

// Followed by the text, without a zero at its end, filled up to a multiple of 8.
struct TextHead {
  std::uint64_t key;
  TextSpace space;
  std::uint32_t bytes;
};

// The sizes of the records follow, 16 bits each, in the order of the body.
struct RecordsFront {
  std::uint32_t cupti_version;
  std::uint32_t count;
};

// Which bytes of which buffer of a thread the body is. `use` counts the buffers that were taken
// into use in this process: a thread's events are in order by (use, offset), whatever the order of
// blocks, and what a killed process left in memory can be joined without repeating anything.
struct HostEventsFront {
  std::uint32_t thread;
  std::uint32_t chunk;
  std::uint32_t use;
  std::uint32_t offset;
};

enum class NoteKind : std::uint32_t {
  kUnavailable = 1,  // A kind of record (`subject`: CuptiKind, 0: all of CUDA) was refused.
  kOtherTool = 2,    // CUPTI is in use by the program or by another tool.
  kMessage = 3,
};

struct NoteFront {
  NoteKind kind;
  std::uint32_t subject;
  std::int32_t result;  // What CUPTI answered.
  std::uint32_t text_bytes;
};

enum class Closing : std::uint32_t {
  kOpen = 0,   // The process ended without notice, or still runs.
  kClosed,     // It ended in order.
  kCollected,  // It ended without notice, and `xsp live` saved what its threads had recorded.
};

struct CountsFront {
  std::uint64_t kept[kCuptiKinds];     // Records and events in the blocks so far.
  std::uint64_t dropped[kCuptiKinds];  // Known to be lost.
  std::uint64_t cupti_dropped;         // Lost inside CUPTI, of kinds it does not say.
  std::uint64_t buffers_requested;     // By CUPTI, and given back to us.
  std::uint64_t buffers_completed;
  std::uint64_t cut_texts;  // NVTX texts that were too long to keep whole.
  Closing closed;
  std::uint32_t write_error;  // errno of the last write that failed; 0: none.
};

}  // namespace xsp::live
