#pragma once

#include <map>
#include <vector>

#include "graph/draft.h"

namespace xsp {

// Loops that ask for several streams in turn and go on with whichever is done first. Each hands the
// next work to the stream that was done, while others still work, for which the next loops ask. In
// which order depends on how long the work takes, so the thread does not wait for one after the
// other: each stream waits for the thread to see that it is done.
struct PollTurn {
  TaskId done;  // What a loop found done,
  TaskId next;  // and what it issued then; none: that was the last for its stream.
};

struct PollTurns {
  std::map<TaskId, PollTurn> of_loops;
  std::vector<TaskId> last_loops;  // Until all is done that came last for its stream.
};

PollTurns FindPollTurns(const Draft& draft);

}  // namespace xsp
