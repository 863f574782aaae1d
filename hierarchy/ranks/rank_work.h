#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/totals/activity_mix.h"
#include "model/trace.h"

namespace xsp {

// A piece of device work, as far as it matters to its rank's budget.
struct RankWork {
  EventId event;
  TimeRange time;
  TimeNs launch = 0;  // Begin of the call that issued it; of itself where none is known.
  bool has_call = false;
  Activity activity = Activity::kCompute;
  TrackId stream;
  std::uint32_t step = Steps::kOutside;  // That launched it.
};

// What a rank is made of: the events of one process, found once for all of them.
struct RankEvents {
  std::vector<RankWork> work;          // Device work by begin (ties: by event).
  std::vector<EventId> event_records;  // Records of CUDA events,
  std::vector<EventId> stream_waits;   // waits of streams for them,
  std::vector<EventId> mpi;            // and MPI's collective calls; in order of begin.
};
std::vector<RankEvents> EventsByProcess(const Hierarchy& hierarchy);

}  // namespace xsp
