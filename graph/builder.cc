#include "graph/builder.h"

#include <cassert>
#include <utility>

#include "base/interrupt.h"
#include "graph/draft.h"

namespace xsp {

TaskGraph BuildGraph(const Trace& trace, const Hierarchy& hierarchy) {
  assert(&hierarchy.trace() == &trace);
  Draft draft(trace, hierarchy);
  AddStreams(draft);
  AddTasks(draft);
  CheckInterrupt();
  AddCopyEngines(draft);
  AddCollectives(draft);
  AddNodeOrders(draft);
  CheckInterrupt();
  AskForAllocations(draft);
  AskForStalls(draft);
  AskForBlockingCopies(draft);
  AskForBlockingLaunches(draft);
  AskForSyncs(draft);
  CheckInterrupt();
  AskForEvents(draft);
  AskForUnrecordedSyncs(draft);
  AskForUnrecordedPolls(draft);
  AskForUnrecordedWaits(draft);
  CheckInterrupt();
  AskForBatches(draft);
  AskForThreads(draft);
  AskForHostFunctions(draft);
  AskForMpi(draft);
  AskForTimers(draft);
  AddHandoffs(draft);
  AddOffCpu(draft);
  MeasureQueueDepth(draft);
  AskForDriverLocks(draft);

  Answers answers;
  SimulateGuided(draft.graph, &answers);

  LearnClockSkew(draft, answers);
  LearnAllocations(draft, answers);
  LearnStalls(draft, answers);
  LearnLaunchQueue(draft, answers);
  CheckInterrupt();
  LearnHostSyncs(draft, answers);
  LearnPolls(draft, answers);
  LearnDriverLocks(draft, answers);
  LearnSubmit(draft, answers);
  LearnBlockingLaunches(draft, answers);
  LearnStreamOrder(draft, answers);
  CheckInterrupt();
  LearnBlockingCopies(draft, answers);
  LearnInterference(draft);
  MarkColdCalls(draft);
  return std::move(draft.graph);
}

}  // namespace xsp
