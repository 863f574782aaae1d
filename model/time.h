#pragma once

#include <algorithm>
#include <cstdint>

namespace xsp {

// A point on the trace's clock, in nanoseconds. Zero is where the recording tool put it (for nsys:
// the start of the session, so events from before a capture range are negative). Simulated time is
// another type, on purpose: the two must not be mixed by accident.
using TimeNs = std::int64_t;

// A distance between two points in time, in nanoseconds.
using DurationNs = std::int64_t;

// A half-open stretch of time, [begin, end).
struct TimeRange {
  TimeNs begin = 0;
  TimeNs end = 0;

  DurationNs Length() const { return end - begin; }
  bool Empty() const { return end <= begin; }
  bool Contains(TimeNs t) const { return begin <= t && t < end; }
  TimeRange Clip(TimeRange to) const { return {std::max(begin, to.begin), std::min(end, to.end)}; }
  bool operator==(const TimeRange&) const = default;
};

}  // namespace xsp
