#pragma once

#include <cstdint>

#include "base/byte_sink.h"
#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/steps/step_set.h"
#include "model/names/kernel_names.h"

namespace xsp {

// Who waited for whom, for a timeline that shows it. `answers` and `path` are of the replay
// of `graph`, `idle` is of the measured times.
struct TimelineWaits {
  const TaskGraph& graph;
  const Answers& answers;
  const IdleReport& idle;
  const CriticalPath& path;
};

// What was written.
struct PerfettoCounts {
  std::uint64_t slices = 0;      // On host threads, levels, the critical path, idle time.
  std::uint64_t operations = 0;  // Of devices.
  std::uint64_t waits = 0;       // Between operations, and between calls and operations.
  std::uint64_t counters = 0;    // Values.
  TimeNs origin = 0;             // Of the trace's clock: 0 in the file. Not above 0.
};

// A trace for Perfetto (.pftrace): ranges and calls of host threads, steps to operations by level,
// the critical path and idle time as slices; device work as GPU render stages, by stream, with
// launch geometry, where it waited for and which call issued it; counters. Written piece by piece.
// `waits` may be null: a trace without device work, or whose waits nobody asked for.
PerfettoCounts WritePerfetto(const Hierarchy& hierarchy, const TimelineWaits* waits, NameForm names,
                             const StepSet& steps, const ByteSink& sink);

}  // namespace xsp
