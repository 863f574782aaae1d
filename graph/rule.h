#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/time_kinds.h"

namespace xsp {

// Why one point in time cannot come before another: the reasons of the edges in a TaskGraph.
enum class Rule : std::uint8_t {
  kNone = 0,        // Nothing: the anchor of a thread or a stream at its measured time.
  kOwnTime,         // A task's own duration: from its begin to its finish.
  kProgramOrder,    // The call before on the thread, and the untraced work between the two.
  kSubmit,          // The call that issued the work.
  kStreamOrder,     // The operation before on the stream.
  kLaunchQueue,     // A place in the driver's queue of commands.
  kHostSync,        // Work that a synchronizing call waits for.
  kPolling,         // Work that a loop of queries asks for until it is done.
  kBlockingLaunch,  // Work that holds the call that launched it until it is done.
  kDriverLock,      // Another thread's call: the driver works for one at a time.
  kBlockingCopy,    // A copy that holds its call until it is done (or has been staged).
  kAllocation,      // Allocation, release or module loading that waits for the device.
  kCopyEngine,      // The copy engine is busy with another copy.
  kEventWait,       // cudaStreamWaitEvent: work before the record.
  kDefaultStream,   // The legacy default stream against the blocking streams.
  kThreadHandoff,   // A thread that was silent while another worked. Inferred.
  kLoader,          // A batch of data that its producer has not made ready yet.
  kDeviceStall,     // An allocation: the device takes up work late while memory is mapped.
  kInterference,    // What runs beside a kernel and slows it down. No edge: it changes durations.
  kCollective,      // The other ranks of a collective.
  kChannel,         // A channel that an edit made is busy with another operation.
  kPrefetch,        // What was fetched before is not in use yet: no more may be fetched ahead.
  kTimer,           // A time at which a thread goes on, whatever happened before.
  kThreadWait,      // Another thread that ends a wait, or that must have taken what it was given.
  kMpi,             // Other ranks that must have come to their call of MPI.
  kCount,           // No rule: how many there are.
};

inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::kCount);

constexpr std::size_t IndexOf(Rule rule) { return static_cast<std::size_t>(rule); }

// What a rule can do to a task, and what can be done to the rule.
enum RuleTrait : std::uint8_t {
  kHoldsCall = 1,  // A call does not return before it is satisfied.
  kHostWorks = 2,  // Meanwhile the host does something that can be asked for.
  kCanFreeze = 4,  // A call's measured duration, or a thread's silence, can hide its waits.
  kCanIgnore = 8,  // A simulation can do without; other rules are what a task is.
};

// All that differs from rule to rule outside of its own file in graph/rules/ and of its line in the
// simulation. A value of the enumeration without its row does not compile.
struct RuleRow {
  Rule rule;
  std::string_view name;  // In options, files and JSON.
  // A sentence that explains such an edge; readings/explain.cc says what stands for the {words}.
  std::string_view why;
  // What the time between the two points is called, on a critical path and while a device is idle.
  // Own time goes by its task instead.
  PathKind path;
  IdleCause idle;
  unsigned traits;
};

inline constexpr auto kRuleTable = std::to_array<RuleRow>({
    {Rule::kNone, "anchor", "{anchor}", PathKind::kStart, IdleCause::kBeforeRecording, 0},
    {Rule::kOwnTime, "own_time", "{own}", PathKind::kCall, IdleCause::kOtherCall, kHostWorks},
    {Rule::kProgramOrder, "program_order",
     "The call before on this thread, then {lag} of untraced host work.", PathKind::kHostGap,
     IdleCause::kHostGap, kHostWorks},
    {Rule::kSubmit, "submit", "Issued by this call; the way to the device takes {constant}.",
     PathKind::kSubmit, IdleCause::kSubmit, 0},
    {Rule::kStreamOrder, "stream_order",
     "The operation before on its stream; the gap takes {constant}.", PathKind::kStreamGap,
     IdleCause::kStreamGap, kCanIgnore},
    {Rule::kLaunchQueue, "launch_queue",
     "The queue holds {depth} commands: this one had to finish to make room ({constant}).",
     PathKind::kQueueTail, IdleCause::kLaunchCost, kHoldsCall | kCanFreeze | kCanIgnore},
    {Rule::kHostSync, "host_sync",
     "The call returns when all it synchronizes with is done ({constant}).", PathKind::kSyncTail,
     IdleCause::kSyncTail, kHoldsCall | kCanFreeze | kCanIgnore},
    {Rule::kPolling, "polling",
     "The host asks again and again, until all is done that it asks for ({constant}).",
     PathKind::kSyncTail, IdleCause::kSyncTail, kHoldsCall | kCanFreeze | kCanIgnore},
    {Rule::kBlockingLaunch, "blocking_launch",
     "In this trace such calls return when what they launched is done ({constant}).",
     PathKind::kSyncTail, IdleCause::kSyncTail, kHoldsCall | kCanFreeze | kCanIgnore},
    {Rule::kDriverLock, "driver_lock",
     "In this trace such calls of two threads are made one after the other ({constant}).",
     PathKind::kLaunch, IdleCause::kLaunchCost, kHoldsCall | kHostWorks | kCanFreeze | kCanIgnore},
    {Rule::kBlockingCopy, "blocking_copy", "{copy}", PathKind::kCopyTail, IdleCause::kCopyTail,
     kHoldsCall | kCanFreeze | kCanIgnore},
    {Rule::kAllocation, "allocation",
     "In this trace such calls wait for the device, then do their work.", PathKind::kAllocation,
     IdleCause::kAllocation, kHoldsCall | kHostWorks | kCanFreeze | kCanIgnore},
    {Rule::kCopyEngine, "copy_engine", "The copy engine does one copy at a time.",
     PathKind::kStreamGap, IdleCause::kCopyEngine, kCanIgnore},
    {Rule::kEventWait, "event_wait", "It waits for work of another stream.", PathKind::kStreamGap,
     IdleCause::kOtherStream, kCanIgnore},
    {Rule::kDefaultStream, "default_stream",
     "The default stream and blocking streams wait for each other.", PathKind::kStreamGap,
     IdleCause::kOtherStream, kCanIgnore},
    {Rule::kThreadHandoff, "thread_handoff",
     "This thread was silent while the other worked, and began {lag} after it fell silent. "
     "Inferred, not recorded.",
     PathKind::kThreadHandoff, IdleCause::kThreadHandoff, kHostWorks | kCanFreeze | kCanIgnore},
    // On a path the producer decides, since the load before that it was busy with.
    {Rule::kLoader, "loader",
     "Somebody else makes the data ready: {lag} after {load}, as measured.", PathKind::kDataLoading,
     IdleCause::kLoaderWait, kHoldsCall | kHostWorks | kCanIgnore},
    {Rule::kDeviceStall, "device_stall",
     "In this trace the device takes up work late behind such a call ({constant}).",
     PathKind::kStreamGap, IdleCause::kDeviceStall, kCanIgnore},
    {Rule::kInterference, "interference", "What runs beside it slows it down.",
     PathKind::kStreamGap, IdleCause::kUnexplained, kCanIgnore},
    {Rule::kCollective, "collective", "The last rank to come; then the data moves.",
     PathKind::kCollective, IdleCause::kPeer, kCanIgnore},
    {Rule::kChannel, "channel", "The channel '{channel}' does one operation at a time.",
     PathKind::kStreamGap, IdleCause::kOtherStream, 0},
    {Rule::kPrefetch, "prefetch", "No more may be fetched ahead before this one is in use.",
     PathKind::kStreamGap, IdleCause::kOtherStream, 0},
    {Rule::kTimer, "timer", "It waits for a time: {lag} after an earlier one of {timer}.",
     PathKind::kTimer, IdleCause::kTimer, kHoldsCall | kHostWorks | kCanIgnore},
    {Rule::kThreadWait, "thread_wait", "{waker}", PathKind::kThreadWait, IdleCause::kThreadWait,
     kHoldsCall | kHostWorks | kCanIgnore},
    {Rule::kMpi, "mpi",
     "The other rank has come to its call of MPI, and {lag} later the data is there.",
     PathKind::kThreadWait, IdleCause::kPeer, kHoldsCall | kHostWorks | kCanIgnore},
});

static_assert(kRuleTable.size() == kRuleCount, "every rule has a row");
static_assert(
    [] {
      for (std::size_t i = 0; i < kRuleCount; ++i) {
        if (IndexOf(kRuleTable[i].rule) != i) return false;
      }
      return true;
    }(),
    "rows stand in the order of the rules");

constexpr const RuleRow& RowOf(Rule rule) { return kRuleTable[IndexOf(rule)]; }
constexpr bool Has(Rule rule, RuleTrait trait) { return (RowOf(rule).traits & trait) != 0; }

// The name used in options, files and JSON, such as "launch_queue".
constexpr std::string_view NameOf(Rule rule) { return RowOf(rule).name; }
std::optional<Rule> RuleFromName(std::string_view name);

}  // namespace xsp
