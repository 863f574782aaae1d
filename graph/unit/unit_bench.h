#pragma once

#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/unit/slice.h"
#include "graph/unit/step_borders.h"
#include "graph/unit/unit.h"

namespace xsp {

// Simulates a unit again and again, with changes: what leverage and what-ifs ask is "how long would
// it take if". For steps it holds a slice of the graph, the unit's steps and those that fill the
// pipeline before them, so that one question costs milliseconds in a trace of any length; a span is
// simulated with all that came before it.
//
//   const UnitBench bench(graph, steps, ChooseUnit(graph, steps));
//   const DurationNs replayed = bench.Length();
//   Overlay overlay = ...;                        // Of bench.graph(): use Place() to get there.
//   const DurationNs forecast = bench.Length(overlay);
//   const TaskGraph edited = ...;                 // An edit of bench.graph().
//   const DurationNs structural = bench.Length(edited);
//
// Keeps references to the graph and the steps. Can be asked by several threads at once.
class UnitBench {
 public:
  UnitBench(const TaskGraph& graph, const Steps& steps, Unit unit);
  UnitBench(const UnitBench&) = delete;
  UnitBench& operator=(const UnitBench&) = delete;

  const Unit& unit() const { return unit_; }

  // What is simulated: the slice, or the whole graph for a span.
  const TaskGraph& graph() const { return unit_.is_step ? slice_.graph : whole_; }
  // A task of the whole graph there; none for what is not simulated.
  TaskId Place(TaskId whole) const;

  // Whether a task of graph() belongs to the unit: a step's own work, by when it was launched, or a
  // span's, by when it began. What fills the pipeline does not, nor what came before the span.
  bool IsInUnit(TaskId place) const;

  // How long one unit takes: a mean step, or the span. Unchanged, with an overlay of graph(), and
  // of a graph that was made from graph() by an edit.
  DurationNs Length(const Overlay& overlay = {}) const;
  DurationNs Length(const TaskGraph& edited, const Overlay& overlay = {}) const;
  // The same for a simulation of graph() that was run already.
  DurationNs Length(const Schedule& schedule) const;

 private:
  std::vector<TimeRange> SimulatedTimes() const;

  const TaskGraph& whole_;
  const Steps& steps_;
  Unit unit_;
  GraphSlice slice_;                  // Of steps.
  PerTask<TaskId> place_;             // Per task of the whole.
  std::vector<StepBorders> borders_;  // Of the slice: one, or none for a span.
};

}  // namespace xsp
