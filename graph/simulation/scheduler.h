#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/sim_time.h"
#include "graph/task_graph.h"

namespace xsp {

// Why a point in time came no earlier: the edge that bound it. `source` is the task whose finish
// (program order, waits) or begin (own time, submit, prefetch) it hangs on.
struct Binding {
  TaskId source;
  Rule rule = Rule::kNone;

  bool operator==(const Binding&) const = default;
};

// Other costs of a graph's tasks, laid over it: one graph serves a thousand simulations. Empty
// vectors change nothing; others have an entry per task, or as they say.
struct Overlay {
  PerTask<DurationNs> own;           // Instead of TaskGraph::own.
  PerTask<DurationNs> gap;           // Instead of TaskGraph::gap; per host task.
  PerTask<DurationNs> wait;          // Instead of TaskGraph::wait; per host task.
  std::vector<DurationNs> interval;  // Instead of GraphBatch::interval; per batch.
  bool slow_producers = false;       // Those whose speed is not known are as slow as they can be.
  bool late_ones_wait = false;       // Until the next time of a timer of which no trace tells.
  std::uint32_t ignored_rules = 0;   // As TaskGraph::ignored_rules, besides those.

  // Another interval for the batch that a load waits for; nothing happens for tasks that do not.
  void SetInterval(const TaskGraph& graph, TaskId load, DurationNs ns);
};

// When everything happens. What never happens has an unknown time.
struct Schedule {
  PerTask<SimTime> begin, finish;
  PerTask<Binding> begin_by, finish_by;
  std::uint32_t broken_collectives = 0;  // Went on without a rank that never came.
  std::uint32_t broken_prefetches = 0;   // Were fetched though what they wait for never began.
};

// The begin or the finish of a task, packed into one number.
class Point {
 public:
  static Point BeginOf(TaskId task) { return Point(2 * task.value); }
  static Point FinishOf(TaskId task) { return Point(2 * task.value + 1); }
  TaskId task() const { return TaskId(code_ / 2); }
  bool is_finish() const { return code_ % 2 == 1; }

 private:
  explicit Point(std::uint32_t code) : code_(code) {}
  std::uint32_t code_;
};

// The answers to the questions of a graph in one simulation: which operation it was.
struct Answers {
  // Per device operation: the one before on the stream, on the copy engine, and on other streams.
  // Of several that it waits for in the same way, the one that held it longest.
  PerOp<TaskId> stream, engine, other;
  PerOp<Rule> other_rule;  // Why it waits for that one: kEventWait or kDefaultStream.
  // The others of these, in no order: few, since few operations wait for more than one.
  struct Beside {
    TaskId op;
    TaskId from;  // Its finish,
    Rule rule = Rule::kNone;
    DurationNs lag = 0;  // and what lies between.
  };
  std::vector<Beside> beside;
  PerOp<TaskId> stall;    // The call that holds it up (Rule::kDeviceStall).
  PerOp<TaskId> channel;  // The one before on its channel; empty where there are no channels.
  // Per host task: the last to finish of what it waits for, and who had its place in the queue.
  PerTask<TaskId> awaited, queue;
  // From the finish that a loop of queries waits for to that of the loop, and from the first time
  // of a timer to that which a task waits for that may be late for others.
  std::unordered_map<TaskId, DurationNs> lag_of_looks;
  // All points in the order in which they became known. Every one comes after those it hangs on.
  std::vector<Point> order;
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
