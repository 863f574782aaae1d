#pragma once

#include <cstdint>
#include <deque>

#include "graph/sim_time.h"
#include "graph/task_graph.h"

namespace xsp {

// A copy engine: one copy at a time, in the order in which they become ready.
class CopyEngine {
 public:
  struct Slot {
    SimTime begin;
    TaskId blocker;  // The copy that was in the way, if any.
  };

  // Finds the first stretch of free time from `ready` on and takes it. `gap` lies between copies.
  Slot Take(TaskId copy, SimTime ready, DurationNs duration, DurationNs gap);

  // Notes a copy that ran at a known time and tells which one ran before it, if any.
  TaskId Note(TaskId copy, SimTime begin, SimTime end);

 private:
  struct Busy {
    SimTime begin;
    SimTime end;
    TaskId copy;
  };
  std::size_t FirstAfter(SimTime begin) const;
  void Insert(std::size_t at, const Busy& busy);

  std::deque<Busy> busy_;  // By begin; only the most recent ones are kept.
};

}  // namespace xsp
