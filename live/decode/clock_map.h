#pragma once

#include <cstdint>
#include <vector>

#include "live/spool/format.h"
#include "model/time.h"

namespace xsp::live {

// Turns CUPTI's times into those of the host's clock (CLOCK_MONOTONIC), by readings of both that
// were taken side by side.
//
// On Linux CUPTI reads CLOCK_REALTIME. The two clocks run alike, so the distance is one number, and
// all durations stay as they are; where readings differ by more than their own uncertainty, the
// wall clock was set (or this is a system where CUPTI has a clock of its own), and times between
// two readings are shifted in proportion.
class ClockMap {
 public:
  ClockMap() = default;
  explicit ClockMap(const std::vector<ClockReading>& readings);

  TimeNs ToHost(std::uint64_t cupti) const;

  // A time of the host's clock as a spool has it: at most what any clock shows.
  static TimeNs HostTime(std::uint64_t host);

  // By how much the distance changed during the recording; 0: it did not.
  DurationNs shift() const { return shift_; }

 private:
  struct Point {
    std::int64_t cupti;
    std::int64_t distance;     // Host minus CUPTI.
    std::int64_t uncertainty;  // Half the time that the reading took.
  };

  std::vector<Point> points_;  // By CUPTI's time; empty: one distance for all.
  std::int64_t distance_ = 0;
  DurationNs shift_ = 0;
};

}  // namespace xsp::live
