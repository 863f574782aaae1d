#include "stats/busy_time.h"

#include <algorithm>
#include <utility>

#include "model/spans.h"

namespace xsp {

BusyTime::BusyTime(std::vector<TimeRange> ranges) : ranges_(Merged(std::move(ranges))) {
  DurationNs sum = 0;
  for (const TimeRange& range : ranges_) {
    sum_.push_back(sum);
    sum += range.Length();
  }
}

DurationNs BusyTime::Before(TimeNs time) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), time,
                       [](TimeNs t, const TimeRange& range) { return t < range.begin; });
  if (after == ranges_.begin()) return 0;
  const TimeRange& last = *(after - 1);
  return sum_[after - 1 - ranges_.begin()] + std::min(time, last.end) - last.begin;
}

DurationNs BusyTime::Within(TimeRange range) const {
  return range.Empty() ? 0 : Before(range.end) - Before(range.begin);
}

}  // namespace xsp
