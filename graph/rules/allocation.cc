#include <algorithm>

#include "graph/draft.h"

// Allocation, release and module loading. Whether they wait for the device differs from trace to
// trace, so it is learned, per name: of one trace's cudaMalloc 197 of 197 waited, of another's 6 of
// 146.
namespace xsp {
namespace {

// A call tells something about waiting if this much work was outstanding when it began.
constexpr DurationNs kEnoughOutstanding = 10'000;

}  // namespace

void AskForAllocations(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (TaskId task : graph.host_tasks()) {
    const CallClass call_class = draft.ClassOf(task);
    const std::uint32_t context = draft.context_of_task[task];
    if (context == Draft::kNone) continue;
    if (call_class != CallClass::kFree && call_class != CallClass::kAllocate) continue;
    // First the wait, then the work: the driver must not touch mappings that kernels still use.
    graph.question[task] = {Ask::kContext, Rule::kAllocation, true, 0, context};
  }
}

void LearnAllocations(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  struct Evidence {
    std::uint32_t asked = 0;   // Calls with work outstanding.
    std::uint32_t waited = 0;  // Of these, those that returned after it.
  };
  PerName<Evidence> evidence(draft);
  for (TaskId task : graph.host_tasks()) {
    if (graph.question[task].rule != Rule::kAllocation || !answers.awaited[task].valid()) continue;
    const TimeNs done = draft.EndOf(answers.awaited[task]);
    if (done < graph.measured_begin[task] + kEnoughOutstanding) continue;
    Evidence& name = evidence[draft.NameOf(task)];
    ++name.asked;
    if (graph.measured_end[task] >= done) ++name.waited;
  }
  for (TaskId task : graph.host_tasks()) {
    Question& question = graph.question[task];
    if (question.rule != Rule::kAllocation) continue;
    // Four in five, not all: device clocks are a little off. Without evidence a release waits,
    // since what is freed may be in use, and an allocation does not.
    const Evidence& name = evidence[draft.NameOf(task)];
    const bool waits = name.asked >= 2 ? 5 * name.waited >= 4 * name.asked
                                       : draft.ClassOf(task) == CallClass::kFree;
    const TimeNs done = answers.awaited[task].valid() ? draft.EndOf(answers.awaited[task])
                                                      : graph.measured_begin[task];
    if (!waits || done > graph.measured_end[task]) {
      if (waits) ++graph.dropped_waits;
      question = {};
    } else if (done > graph.measured_begin[task]) {
      // What came after the wait is the call's own, and stays when the kernels get faster.
      graph.own[task] = graph.measured_end[task] - done;
      graph.flags[task] |= kWaited;
    }
  }
}

}  // namespace xsp
