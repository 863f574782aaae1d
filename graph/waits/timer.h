#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/ids.h"
#include "model/time.h"

namespace xsp {

// What becomes of a thread that is too late for a time of its timer.
enum class WhenLate : std::uint8_t {
  kUntold,    // It never was in the recording. It goes on at once then, as most do.
  kGoesOn,    // It does not wait, and catches up, as with a sleep until an absolute time.
  kNextTime,  // It waits for the next time, as a display makes it do.
};

// Something that lets a thread go on at regular times: a clock, a camera, requests that come in
// whatever the program does. Its times stay when the program's work gets shorter.
struct GraphTimer {
  std::string name;          // Of the call in which the thread waits; empty: none was recorded.
  std::uint32_t thread = 0;  // A row of TaskGraph::threads.
  std::uint32_t waits = 0;
  DurationNs period = 0;  // From one time to the next; median unless late ones wait.
  WhenLate when_late = WhenLate::kUntold;

  // When a thread goes on that came at `ready`, of times that all lie whole periods behind `first`.
  TimeNs NextAfter(TimeNs ready, TimeNs first) const {
    const TimeNs passed = std::max<TimeNs>(ready - first, 1);
    return first + (passed + period - 1) / period * period;
  }
};

// One of its times. Only the distance between two of them counts: the first that a simulation comes
// to lasts as long as measured, and the others lie where they lie from there.
struct GraphDeadline {
  std::uint32_t timer = 0;  // A row of GraphFrame::timers.
  TimeNs due = 0;           // As measured.
};

// Sleeps of a thread in calls of one name that last as long whatever came before: nobody ends them,
// and no time does.
struct GraphNap {
  std::uint32_t thread = 0;  // A row of TaskGraph::threads.
  StringId name;
};

}  // namespace xsp
