#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp {

// Which range a thread had open when. Where it had none, the one that its process's main thread had
// open speaks for it. Names are without sequence numbers and ids, and live as long as the hierarchy
// does. With operating-system calls, a call that the thread was in counts as a range.
class OpenRanges {
 public:
  explicit OpenRanges(const Hierarchy& hierarchy, bool with_os_calls = false);

  // A stretch of time in which one range was the innermost.
  struct Piece {
    TimeRange time;
    std::string_view name;  // Empty: none was open.
    bool of_main = false;   // The main thread had it open, not the thread itself.
  };

  // What was open during a stretch of a thread's time, in order; the pieces fill it.
  std::vector<Piece> During(TrackId thread, TimeRange time) const;
  // The range that was open for most of it; empty if none was for the most part.
  std::string_view MostOf(TrackId thread, TimeRange time) const;

 private:
  const Hierarchy& hierarchy_;
  std::map<TrackId, std::vector<Piece>> pieces_;  // By thread: disjoint, by time.
};

}  // namespace xsp
