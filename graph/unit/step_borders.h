#pragma once

#include <cstdint>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// Where steps begin and end in a simulation.
//
// A border between steps is a question, as waits are; it does not name the operation that decided
// it in the recorded run. In each process: has the host come to this place in its program, and is
// every operation of the steps' own threads finished whose call began before it? The border is the
// moment at which the last process says yes. So a sync that is taken out, kernels that become
// slower than the host, or a side stream that falls behind move a border from the host's side to
// the device's, and back. What runs beside the steps (Steps::beside) moves none.
//
// "The host has come there": a mark between two tasks of a thread keeps its place between them, as
// a share of the time that lies between; inside a call it keeps its distance from the nearer end of
// the call (what a call waits for may move its ends apart). The thread is the one on which the
// step's range lies; where steps were found from kernels, or that thread does nothing in them, the
// one of the process that did something last.
//
// Works on the graph of a whole run, on a slice of it and on edited graphs: a task that is gone
// does not count, a task that was added counts with the call that it follows, and a process that
// was added has the steps of the one that it is a copy of.
class StepBorders {
 public:
  // For steps [first, first + count). `steps` are those of the run that the graph's measured times
  // speak of. Keeps a reference to the graph.
  StepBorders(const TaskGraph& graph, const Steps& steps, std::uint32_t first, std::uint32_t count);

  // Each of the steps in a simulation of the graph; none overlaps the next. On the host's clock, as
  // all simulated times.
  std::vector<SimSpan> In(const Schedule& schedule) const;

 private:
  // A moment of a host thread, told by its tasks.
  struct HostMoment {
    TaskId before;           // The last task that began before it, and
    TaskId after;            // the next one; either may be missing.
    bool is_inside = false;  // `before` was still running; then only that one counts.
    DurationNs since = 0;    // Measured: from the end (inside: from the begin) of `before`,
    DurationNs until = 0;    // and until the begin of `after` (inside: to the end of `before`).
    TimeNs measured = 0;     // For a process of which nothing else is known.
  };
  // The borders of one process: begin and end of each step.
  struct Side {
    ProcessId process;
    std::vector<TimeNs> moments;  // As measured, ascending.
    std::vector<HostMoment> at;
  };

  void FindLaunchTimes();
  void AddSide(const std::vector<HostStep>& host, ProcessId process, std::uint32_t first,
               std::uint32_t count);
  HostMoment Locate(const GraphThread& thread, TimeNs moment) const;
  HostMoment LocateInProcess(ProcessId process, TimeNs moment) const;
  const GraphThread* ThreadOf(ProcessId process, TrackId track, TimeRange time) const;
  void PlaceOperations(const Steps& steps);
  SimTime TimeOf(const HostMoment& moment, const Schedule& schedule) const;

  static constexpr std::uint32_t kNone = 0xffffffff;

  const TaskGraph& graph_;
  std::uint32_t borders_;      // Two for each step.
  PerTask<TimeNs> launched_;   // Per host task: when it began; added ones: their call.
  std::vector<Side> sides_;    // By process.
  PerOp<std::uint32_t> slot_;  // Per operation: side * borders_ + the first border that it
                               // must be finished for; kNone if there is none.
};

}  // namespace xsp
