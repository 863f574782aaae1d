#pragma once

#include <cstdint>
#include <vector>

#include "graph/sim_time.h"
#include "graph/task_graph.h"

namespace xsp {

// Why a point in time came no earlier: the edge that bound it. `source` is the task whose finish
// (program order, waits) or begin (own time, submit) it hangs on.
struct Binding {
  TaskId source;
  Rule rule = Rule::kNone;

  bool operator==(const Binding&) const = default;
};

// A host task, with or without an operation on the device, put behind another host task.
struct Splice {
  TaskId after;         // A host task of the graph.
  DurationNs gap = 0;   // Untraced host time before the new task.
  DurationNs own = 0;   // Its own cost.
  Question question;    // What it waits for.
  bool has_op = false;  // Whether it issues an operation:
  OpClass op_class = OpClass::kKernel;
  std::uint32_t stream = 0;
  DurationNs duration = 0;
};

// Changes to a graph, laid over it. Empty vectors change nothing; others have an entry per task.
struct Overlay {
  std::vector<DurationNs> own;        // Instead of TaskGraph::own.
  std::vector<DurationNs> gap;        // Instead of TaskGraph::gap; per host task.
  std::vector<DurationNs> wait;       // Instead of TaskGraph::wait; per host task.
  std::vector<Question> question;     // Instead of TaskGraph::question; per host task.
  std::vector<std::uint32_t> lane;    // Instead of TaskGraph::lane: operations on other streams.
  std::vector<std::uint8_t> removed;  // 1: does not happen. A removed call issues nothing.
  std::vector<Splice> splices;        // By `after`; those with the same one in their order.
  std::uint32_t ignored_rules = 0;    // As TaskGraph::ignored_rules, besides those.
};

// When everything happens. Entries of splice i follow those of the graph's tasks: its host task is
// task_count + 2 * i, its operation the one after. What never happens has an unknown time.
struct Schedule {
  std::vector<SimTime> begin, finish;
  std::vector<Binding> begin_by, finish_by;
  std::uint32_t broken_collectives = 0;  // Went on without a rank that never came.
};

// The answers to the questions of a graph in one simulation: which operation it was.
struct Answers {
  // Per device operation: the one before on the stream, on the copy engine, and the last to finish
  // of those it waits for on other streams.
  std::vector<TaskId> stream, engine, other;
  // Per host task: the last to finish of what it waits for, and who had its place in the queue.
  std::vector<TaskId> awaited, queue;
  // All points in the order in which they became known: 2 * task for a begin, 2 * task + 1 for a
  // finish. Every point comes after those it hangs on.
  std::vector<std::uint32_t> order;
};

// Simulates the graph: host threads are taken by simulated time (ties: the lower thread), each call
// is evaluated, then the device operations it issues. Every point gets the latest of what it waits
// for, and remembers which that was. Deterministic; takes time linear in the number of tasks.
Schedule Simulate(const TaskGraph& graph, const Overlay& overlay = {}, Answers* answers = nullptr);

// The same with every point moved to its measured time once it has been predicted: what each task
// would do if everything before it had happened as measured. Shows where the graph is wrong without
// the errors adding up.
Schedule SimulateGuided(const TaskGraph& graph, Answers* answers = nullptr);

}  // namespace xsp
