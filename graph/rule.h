#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

// Why one point in time cannot come before another: the reasons of the edges in a TaskGraph.
enum class Rule : std::uint8_t {
  kNone = 0,       // Nothing: the anchor of a thread or a stream at its measured time.
  kOwnTime,        // A task's own duration: from its begin to its finish.
  kProgramOrder,   // The call before on the thread, and the untraced work between the two.
  kSubmit,         // The call that issued the work.
  kStreamOrder,    // The operation before on the stream.
  kLaunchQueue,    // A place in the driver's queue of commands.
  kHostSync,       // Work that a synchronizing call waits for.
  kBlockingCopy,   // A copy that holds its call until it is done (or has been staged).
  kAllocation,     // Allocation, release or module loading that waits for the device.
  kCopyEngine,     // The copy engine is busy with another copy.
  kEventWait,      // cudaStreamWaitEvent: work before the record.
  kDefaultStream,  // The legacy default stream against the blocking streams.
  kThreadHandoff,  // A thread that was silent while another worked. Inferred.
  kLoader,         // A batch of data that its producer has not made ready yet.
  kDeviceStall,    // An allocation: the device takes up work late while memory is mapped.
  kInterference,   // What runs beside a kernel and slows it down. No edge: it changes durations.
  kCollective,     // The other ranks of a collective.
  kChannel,        // A channel that an edit made is busy with another operation.
  kPrefetch,       // What was fetched before is not in use yet: no more may be fetched ahead.
};

inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::kPrefetch) + 1;

constexpr std::size_t IndexOf(Rule rule) { return static_cast<std::size_t>(rule); }

// All rules, in the order above.
constexpr std::array<Rule, kRuleCount> AllRules() {
  std::array<Rule, kRuleCount> rules{};
  for (std::size_t i = 0; i < kRuleCount; ++i) rules[i] = static_cast<Rule>(i);
  return rules;
}

// The name used in options, files and JSON, such as "launch_queue".
std::string_view NameOf(Rule rule);
std::optional<Rule> RuleFromName(std::string_view name);

}  // namespace xsp
