#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/trust/path_doubts.h"
#include "graph/trust/trust.h"
#include "graph/unit/unit.h"
#include "hierarchy/steps/steps.h"
#include "sim/likely_range.h"

namespace xsp {

// What a recording does not tell, and what can be read in two ways. Times are of one unit; 0: there
// is nothing of the kind.
struct TwoReadings {
  // What the unit would take less if host time that the change brings onto the path were a wait for
  // what it made faster.
  DurationNs exposed = 0;
  // Waits on the path that silences alone tell, and that the change takes off it: they may be none.
  DurationNs gone = 0;
  // How long the slowest thread takes that keeps pace with the steps, or may: they may wait for it.
  DurationNs pace_maker = 0;
  // How long a thread needs for its part of a step at least that the steps hand work to, or that
  // hands work to them: unless one may fall behind for ever, they have to wait for it. And which.
  DurationNs lagging = 0;
  std::string lagging_thread;
  // Without hand-offs between threads that are read off silences and may be none.
  DurationNs apart = 0;
  // A step of the rank that is fastest by itself, where ranks no longer go at one pace.
  DurationNs rank_apart = 0;
  // Without the events that keep the order of streams in the place of syncs that go: nobody knows
  // whether one needs what the other computed.
  DurationNs unordered = 0;
  // By which waits with a time-out are longer than they can be, or could be shorter: who ends them,
  // and how often nobody does, changes with the program.
  DurationNs timed = 0;
  // With waits until a time for several things as long as they were: that time may be one since the
  // step began, and then fewer or more of these come until then.
  DurationNs kept = 0;
  // What steps far from the others add to the mean of all, where they recur.
  DurationNs outliers = 0;
  // From one time of the timer that steps wait for to the next. Whether what misses a time waits
  // for the next one, as a display does, only a miss can show: then steps take `on_beats`.
  DurationNs beat = 0;
  DurationNs on_beats = 0;
};

// A program after a change.
struct ChangedProgram {
  const TaskGraph& graph;
  const Schedule& schedule;
  const std::vector<CriticalPath>& paths;
  const PerTask<std::uint8_t>& in_unit;
  const Unit& unit;
  const Steps& steps;
  DurationNs measured = 0;  // Before the change.
  DurationNs forecast = 0;
  // What a unit takes by a simulation of this graph or of one with the same tasks.
  std::function<DurationNs(const TaskGraph&, const Schedule&, const Steps&)> length;
};

// `trust`: of the program before the change. `after`: of the path after it, by `doubts`.
TwoReadings TwoReadingsOf(const ChangedProgram& program, const Trust& trust,
                          const PathDoubts& after, const PathDoubtFinder& doubts);

// Whether steps take longer than from one time of their timer to the next.
bool MissesBeats(const TwoReadings& of, DurationNs forecast);

// A likely range that holds the other reading, too.
LikelyRange Widened(LikelyRange range, const TwoReadings& of, DurationNs measured,
                    DurationNs forecast);

}  // namespace xsp
