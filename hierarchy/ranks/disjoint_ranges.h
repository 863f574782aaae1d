#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/spans.h"
#include "model/time.h"

namespace xsp {

// The union of some ranges of time, to be asked how much of it lies within others.
class DisjointRanges {
 public:
  DisjointRanges() = default;
  explicit DisjointRanges(std::vector<TimeRange> ranges) : ranges_(Merged(std::move(ranges))) {
    before_.reserve(ranges_.size() + 1);
    before_.push_back(0);
    for (const TimeRange& range : ranges_) before_.push_back(before_.back() + range.Length());
  }

  // Ascending; they neither overlap nor touch.
  const std::vector<TimeRange>& ranges() const { return ranges_; }

  DurationNs Within(TimeRange time) const {
    if (time.Empty() || ranges_.empty()) return 0;
    return Before(time.end) - Before(time.begin);
  }

  // What of it `others` do not cover.
  DisjointRanges Without(const DisjointRanges& others) const {
    std::vector<TimeRange> left;
    std::size_t i = 0;
    for (TimeRange range : ranges_) {
      while (i < others.ranges_.size() && others.ranges_[i].end <= range.begin) ++i;
      for (std::size_t k = i; k < others.ranges_.size() && others.ranges_[k].begin < range.end;
           ++k) {
        if (others.ranges_[k].begin > range.begin) {
          left.push_back({range.begin, others.ranges_[k].begin});
        }
        range.begin = std::min(range.end, others.ranges_[k].end);
      }
      if (!range.Empty()) left.push_back(range);
    }
    return DisjointRanges(std::move(left));
  }

 private:
  // How much of it lies before a moment.
  DurationNs Before(TimeNs moment) const {
    const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), moment,
                                       [](TimeNs t, const TimeRange& r) { return t < r.begin; });
    const auto i = static_cast<std::size_t>(next - ranges_.begin());
    if (i == 0) return 0;
    const TimeRange& last = ranges_[i - 1];
    return before_[i - 1] + std::min(moment, last.end) - last.begin;
  }

  std::vector<TimeRange> ranges_;
  std::vector<DurationNs> before_;  // The length of all ranges before each.
};

}  // namespace xsp
