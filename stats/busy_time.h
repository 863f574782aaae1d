#pragma once

#include <vector>

#include "model/time.h"

namespace xsp {

// When something was at work: the union of ranges, and how much of any stretch of time it covers.
class BusyTime {
 public:
  BusyTime() = default;
  // The ranges may overlap and come in any order.
  explicit BusyTime(std::vector<TimeRange> ranges);

  DurationNs Within(TimeRange range) const;

 private:
  DurationNs Before(TimeNs time) const;

  std::vector<TimeRange> ranges_;  // Apart from each other, by begin.
  std::vector<DurationNs> sum_;    // Length of all ranges before the i-th.
};

}  // namespace xsp
