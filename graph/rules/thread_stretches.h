#pragma once

#include <map>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// Stretches of the time of threads, of whatever sort.
class ThreadStretches {
 public:
  // Those of one thread in the order of their begins; where they overlap they become one.
  void Add(TrackId thread, TimeRange time);

  // The parts of some time that lie in stretches of a thread, in order.
  std::vector<TimeRange> During(TrackId thread, TimeRange time) const;
  DurationNs In(TrackId thread, TimeRange time) const;
  bool empty() const { return of_thread_.empty(); }

 private:
  std::map<TrackId, std::vector<TimeRange>> of_thread_;  // Disjoint, by time.
};

}  // namespace xsp
