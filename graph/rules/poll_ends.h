#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/draft.h"

namespace xsp {

// Clocks of device and host are skewed, by so much at most where polls are concerned.
inline constexpr DurationNs kSkewOfPolls = 20'000;

// Whether work ended so that a loop saw it: after its last query but one was made, and before the
// last returned.
bool EndsLoop(const Draft& draft, const PollLoop& loop, TimeNs done);

// For loops that do not say what they ask for: which stream's work, of all that was issued before
// the loop, ended so that the loop saw it.
class PollEnds {
 public:
  explicit PollEnds(const Draft& draft);

  // What was issued last on a stream before a time; none: nothing.
  TaskId LastIssued(std::uint32_t stream, TimeNs time) const;

  // Draft::kNone: no stream's.
  std::uint32_t FindStream(const PollLoop& loop) const;

  // Which record of an event, of those before the loop, stands for work that ended so: the last
  // one. Draft::kNone: none.
  std::uint32_t FindRecord(const PollLoop& loop) const;

 private:
  struct Record {
    TimeNs time;
    std::uint32_t number;
    TaskId last;  // What was issued on its stream before.
  };

  const Draft& draft_;
  std::vector<std::vector<std::pair<TimeNs, TaskId>>> issued_;  // Per stream, by call.
  std::vector<Record> records_;                                 // Of events, by time.
};

}  // namespace xsp
