#pragma once

#include <map>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// When threads were not scheduled: they slept, waited, or another thread had their CPU. Known only
// where the trace has thread scheduling; work that is made faster does not shorten it.
class OffCpu {
 public:
  explicit OffCpu(const Trace& trace);

  // The parts of some time in which a thread was off the CPU, in order.
  std::vector<TimeRange> During(TrackId thread, TimeRange time) const;
  DurationNs In(TrackId thread, TimeRange time) const;
  bool empty() const { return off_.empty(); }

 private:
  std::map<TrackId, std::vector<TimeRange>> off_;  // Disjoint, by time.
};

}  // namespace xsp
