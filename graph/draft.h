#pragma once

#include <cstdint>
#include <vector>

#include "graph/call_class.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

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

  std::vector<TaskId> task_of_call;            // Per kApi event; none: not a task.
  std::vector<std::uint32_t> stream_of_track;  // Per track; kNone: no such stream.
  PerTask<std::uint32_t> context_of_task;      // Per host task: where it works; kNone: nowhere.

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

void AddTasks(Draft& draft);               // tasks.cc
void AddStreams(Draft& draft);             // default_stream.cc
void AddCopyEngines(Draft& draft);         // copy_engine.cc
void AddCollectives(Draft& draft);         // collective.cc
void AddNodeOrders(Draft& draft);          // stream_order.cc
void AskForSyncs(Draft& draft);            // host_sync.cc
void AskForEvents(Draft& draft);           // event_wait.cc
void AskForUnrecordedSyncs(Draft& draft);  // host_sync.cc
void AskForUnrecordedWaits(Draft& draft);  // unrecorded_waits.cc
void AskForBlockingCopies(Draft& draft);   // blocking_copy.cc
void AskForAllocations(Draft& draft);      // allocation.cc
void AskForStalls(Draft& draft);           // device_stall.cc
void AskForBatches(Draft& draft);          // loader.cc
void AddOffCpu(Draft& draft);              // off_cpu.cc
void AddHandoffs(Draft& draft);            // thread_handoff.cc
void MeasureQueueDepth(Draft& draft);      // launch_queue.cc

void LearnClockSkew(Draft& draft, const Answers& answers);
void LearnAllocations(Draft& draft, const Answers& answers);
void LearnStalls(Draft& draft, const Answers& answers);
void LearnLaunchQueue(Draft& draft, const Answers& answers);
void LearnHostSyncs(Draft& draft, const Answers& answers);
void LearnBlockingCopies(Draft& draft, const Answers& answers);
void LearnSubmit(Draft& draft, const Answers& answers);
void LearnStreamOrder(Draft& draft, const Answers& answers);
void LearnInterference(Draft& draft);  // interference.cc
void MarkColdCalls(Draft& draft);      // program_order.cc

}  // namespace xsp
