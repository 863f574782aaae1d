#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xsp {

// What stretches of time are called, on a critical path and in the idle time of a device.

// What a piece of a critical path is.
enum class PathKind : std::uint8_t {
  kKernel = 0,
  kCollective,
  kCopy,
  kMemset,
  kGraph,       // A CUDA graph traced as one piece.
  kStreamGap,   // Between two operations of a stream (or across streams).
  kSubmit,      // From the call to the begin of its operation.
  kLaunch,      // A launching call's own cost.
  kCall,        // Another call's own cost.
  kAllocation,  // Allocation and release: its own cost and the return from its wait.
  kOneTime,     // The part of any call's own cost that comes only once: loading, first launches.
  kDataLoading,
  kHostGap,    // Untraced host time.
  kOffCpu,     // The part of it in which the thread was not scheduled.
  kSyncTail,   // From the end of awaited work to the return of the call that waited.
  kCopyTail,   // The same for a blocking copy.
  kQueueTail,  // The same for a full launch queue.
  kThreadHandoff,
  kThreadWait,  // From what another thread did to the end of the wait for it.
  kTimer,       // Until a time at which the thread goes on.
  kOsWait,      // A wait in a call of the operating system, nobody knows for what.
  kStart,       // Before anything that was recorded.
};
inline constexpr std::size_t kPathKindCount = static_cast<std::size_t>(PathKind::kStart) + 1;
std::string_view NameOf(PathKind kind);  // "kernel", "host_gap".

// Why a device had nothing to do.
enum class IdleCause : std::uint8_t {
  kHostGap = 0,      // The host did something that was not traced.
  kOffCpu,           // ... while its thread was not scheduled: it slept, or had no CPU.
  kDataLoading,      // ... which a range calls loading data.
  kLoaderWait,       // ... in which it waited for whoever makes the data ready.
  kLaunchCost,       // The host was in calls that launch.
  kOtherCall,        // The host was in other calls.
  kAllocation,       // The host was in an allocation or a release.
  kOneTime,          // The host did what it does only once: loading code, a first launch.
  kSubmit,           // The work was on its way to the device.
  kSyncTail,         // A synchronizing call had not returned yet.
  kCopyTail,         // A blocking copy had not returned yet.
  kStreamGap,        // Between operations of a stream that were queued already.
  kOtherStream,      // The same across streams: an event, or the default stream.
  kDeviceStall,      // Memory was being mapped: the device takes up work late.
  kGraphics,         // A graphics API had the device, or a buffer of it.
  kCopyEngine,       // A copy waited for the copy engine.
  kPeer,             // Another device had to finish first.
  kThreadHandoff,    // One thread woke up another.
  kThreadWait,       // The host waited for another thread.
  kTimer,            // The host waited for a time.
  kOsWait,           // The host waited in a call of the operating system.
  kBeforeRecording,  // What led to it was not recorded.
  kNoWorkLeft,       // The device had nothing more to do.
  kUnexplained,
};
inline constexpr std::size_t kIdleCauseCount =
    static_cast<std::size_t>(IdleCause::kUnexplained) + 1;
std::string_view NameOf(IdleCause cause);   // "host_gap"; "[unexplained]" for the last.
std::string_view Meaning(IdleCause cause);  // In words: "a sync had not returned".

}  // namespace xsp
