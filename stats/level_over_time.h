#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/time.h"

namespace xsp {

// A number that goes up and down over time, such as the length of a queue.
class LevelOverTime {
 public:
  // From `time` on the level is higher by `by` (lower, if negative). In any order.
  void Change(TimeNs time, std::int64_t by) { changes_.push_back({time, by}); }

  // What became of the level in one part of the time.
  struct Part {
    TimeRange time;
    double mean = 0;
    std::int64_t max = 0;
    std::int64_t last = 0;  // At the part's end.
  };

  // The range in up to `count` equally long parts; one for a range without length.
  std::vector<Part> Parts(TimeRange range, std::size_t count);

  // The lowest level that is not exceeded for `share` (0 to 1) of the range.
  std::int64_t Percentile(TimeRange range, double share);

  // How long the level was 0.
  DurationNs TimeAtZero(TimeRange range);

 private:
  struct Step {
    TimeNs time;
    std::int64_t level;  // From this time on; from a change until Sorted() the difference.
  };

  // Sorts and sums up the changes, once.
  const std::vector<Step>& Sorted();

  // Calls f(stretch, level) for each stretch of the range in which the level stays the same.
  template <class F>
  void ForEachStretch(TimeRange range, F&& f);

  std::vector<Step> changes_;
  bool sorted_ = false;
};

}  // namespace xsp
