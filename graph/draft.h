#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/call_class.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "graph/waits/os_waits.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// A loop of queries that is one task.
struct PollLoop {
  TaskId task;
  EventId last;             // The query that found the work done.
  TimeNs last_in_vain = 0;  // When the one before was made.
  DurationNs interval = 0;  // From one query to the next, on average.
  std::uint32_t polls = 0;
};

// Launches of a name that the driver makes for one thread at a time.
struct LaunchLock {
  DurationNs cost = 0;    // What they take when they need not wait.
  DurationNs behind = 0;  // How long after the one before those return that had to.
};

// A graph while it is being built, with what the wait rules need to find their way in it.
struct Draft {
  Draft(const Trace& t, const Hierarchy& h) : trace(t), hierarchy(h), classes(t) {
    graph.trace = &t;
    graph.hierarchy = &h;
  }

  const Trace& trace;
  const Hierarchy& hierarchy;
  CallClasses classes;
  TaskGraph graph;

  std::vector<TaskId> task_of_call;                // Per kApi event; none: not a task.
  std::vector<std::uint32_t> stream_of_track;      // Per track; kNone: no such stream.
  std::unordered_map<EventId, TaskId> task_of_os;  // Calls of the operating system that are tasks.
  std::vector<Woken> woken;                        // Who ended which of these,
  std::unordered_set<EventId> ran_out;             // and which nobody did.
  PerTask<std::uint32_t> context_of_task;          // Per host task: where it works; kNone: nowhere.
  std::map<TaskId, PollLoop> poll_loops;           // By task.
  std::map<std::pair<std::uint32_t, StringId>, LaunchLock> locks;  // By context and name.

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // The host task of a CUDA call, or none.
  TaskId TaskOf(EventId call) const {
    const EventSpan calls = trace.OfKind(EventKind::kApi);
    return calls.Contains(call) ? task_of_call[call.value - calls.first] : TaskId();
  }
  CallClass ClassOf(TaskId host) const { return classes.Of(graph, host); }
  StringId NameOf(TaskId host) const {
    return graph.event[host].valid() ? trace.name_of(graph.event[host]) : StringId();
  }
  TimeNs EndOf(TaskId task) const { return graph.measured_end[task]; }
  // By which rule a call waits that has a row among the synchronizations. None for a query, which
  // has one, too, but answers at once; unless it is the one that ended a loop of them.
  Rule RuleOfSync(EventId call, TaskId task) const {
    if (ClassOf(task) != CallClass::kPoll) return Rule::kHostSync;
    const auto loop = poll_loops.find(task);
    return loop != poll_loops.end() && loop->second.last == call ? Rule::kPolling : Rule::kNone;
  }
};

// Something for every name of a call.
template <class T>
class PerName {
 public:
  explicit PerName(const Draft& draft) : names_(draft.classes), values_(names_.size()) {}
  T& operator[](StringId name) { return values_[names_.NumberOf(name)]; }

 private:
  const CallClasses& names_;
  std::vector<T> values_;
};

// Whether an operation comes late for reasons that its stream and its call do not tell: it shows
// nothing about these.
inline bool IsHeldUp(const Draft& draft, const Answers& answers, OpIndex row) {
  const TaskId stall = answers.stall[row];
  return (draft.graph.flags[draft.graph.OpAt(row)] & kAfterGraphics) != 0 ||
         (stall.valid() && (draft.graph.flags[stall] & kMapsMemory) != 0);
}

// The wait rules, in the order in which a graph is built. Those called Ask… put questions to tasks,
// those called Learn… read off the measured times, with the answers to the questions at hand, how
// long each wait takes and what a call costs apart from it.

void AddTasks(Draft& draft);                // tasks.cc
void AddStreams(Draft& draft);              // default_stream.cc
void AddCopyEngines(Draft& draft);          // copy_engine.cc
void AddCollectives(Draft& draft);          // collective.cc
void AddNodeOrders(Draft& draft);           // stream_order.cc
void AskForSyncs(Draft& draft);             // host_sync.cc
void AskForEvents(Draft& draft);            // event_wait.cc
void AskForUnrecordedSyncs(Draft& draft);   // host_sync.cc
void AskForUnrecordedPolls(Draft& draft);   // polling.cc
void AskForUnrecordedWaits(Draft& draft);   // unrecorded_waits.cc
void AskForBlockingCopies(Draft& draft);    // blocking_copy.cc
void AskForBlockingLaunches(Draft& draft);  // blocking_launch.cc
void AskForAllocations(Draft& draft);       // allocation.cc
void AskForStalls(Draft& draft);            // device_stall.cc
void AskForBatches(Draft& draft);           // loader.cc
void AskForThreads(Draft& draft);           // waits/thread_waits.cc
void AskForHostFunctions(Draft& draft);     // waits/host_functions.cc
void AskForTimers(Draft& draft);            // waits/timers.cc
void AskForMpi(Draft& draft);               // waits/mpi.cc
void AddOffCpu(Draft& draft);               // off_cpu.cc
void AddHandoffs(Draft& draft);             // thread_handoff.cc
void MeasureQueueDepth(Draft& draft);       // launch_queue.cc
void AskForDriverLocks(Draft& draft);       // driver_lock.cc

void LearnClockSkew(Draft& draft, const Answers& answers);
void LearnAllocations(Draft& draft, const Answers& answers);
void LearnStalls(Draft& draft, const Answers& answers);
void LearnLaunchQueue(Draft& draft, const Answers& answers);
void LearnHostSyncs(Draft& draft, const Answers& answers);
void LearnPolls(Draft& draft, const Answers& answers);
void LearnBlockingCopies(Draft& draft, const Answers& answers);
void LearnDriverLocks(Draft& draft, const Answers& answers);
void LearnSubmit(Draft& draft, const Answers& answers);
void LearnBlockingLaunches(Draft& draft, const Answers& answers);
void LearnStreamOrder(Draft& draft, const Answers& answers);
void LearnInterference(Draft& draft);  // interference.cc
void MarkColdCalls(Draft& draft);      // program_order.cc

}  // namespace xsp
