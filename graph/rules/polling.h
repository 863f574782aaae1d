#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "graph/rules/thread_stretches.h"
#include "model/trace.h"

namespace xsp {

struct Draft;

// Calls [first, last] of a thread, by their place in the list of its calls: queries for the same
// work, and nothing but pauses between them. The last one found it done.
struct PollRun {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Finds the loops in which threads ask whether work is done until it is.
class PollFinder {
 public:
  explicit PollFinder(const Draft& draft);

  // The loops of one thread, in order. Counts in `untold` queries that were followed by another
  // one, with something between that is no pause: whether such a loop waits cannot be told.
  std::vector<PollRun> LoopsOf(const std::vector<EventId>& calls, std::uint32_t& untold) const;

 private:
  struct Poll {
    std::size_t place;
    EventId call;
    bool is_next;      // Behind another one, with no call between.
    DurationNs awake;  // Since that one.
    bool follows;      // It does nothing but wait since that one.
  };

  std::vector<Poll> PollsOf(const std::vector<EventId>& calls) const;
  void FollowLongPauses(const std::vector<EventId>& calls, std::vector<Poll>& polls) const;
  DurationNs WorkBetween(const std::vector<EventId>& calls, std::size_t first,
                         std::size_t last) const;
  std::uint32_t CountUntold(const std::vector<Poll>& polls) const;
  bool IsQuery(EventId call) const;
  bool IsReady(EventId call) const;
  bool MayBeSame(EventId a, EventId b) const;
  DurationNs AwakeBetween(EventId before, EventId next) const;
  bool AreRegular(std::vector<DurationNs>& pauses) const;
  void AddByCode(const std::vector<Poll>& polls, std::size_t first, std::size_t last,
                 std::vector<PollRun>& loops) const;

  const Draft& draft_;
  bool has_codes_ = false;                             // What queries returned was recorded.
  std::vector<bool> has_os_calls_;                     // Per process.
  ThreadStretches naps_;                               // In OS calls that do nothing else.
  ThreadStretches off_cpu_;                            // Not scheduled.
  std::unordered_map<EventId, std::uint64_t> target_;  // What a query asks for, where recorded.
};

}  // namespace xsp
