#pragma once

#include <cstdint>
#include <string>

#include "model/ids.h"
#include "model/time.h"

namespace xsp {

// Something that lets a thread go on at regular times: a clock, a camera, requests that come in
// whatever the program does. Its times stay when the program's work gets shorter; what is too late
// for one of them does not wait, and catches up, as a sleep until an absolute time does.
struct GraphTimer {
  std::string name;          // Of the call in which the thread waits; empty: none was recorded.
  std::uint32_t thread = 0;  // A row of TaskGraph::threads.
  std::uint32_t waits = 0;
  DurationNs period = 0;  // From one time to the next, median.
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
