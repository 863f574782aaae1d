#include <algorithm>
#include <vector>

#include "graph/draft.h"

// A thread that was silent while another worked probably waited for it: autograd's thread for the
// one that called backward, and back again. Nothing in a trace proves it.
namespace xsp {
namespace {

// Going to sleep and being woken takes longer than this; a shorter silence is work of the thread's
// own, in which a call of another happened to fall.
constexpr DurationNs kShortestSilence = 50'000;
// A longer silence is real work (compile threads), not a thread waking up.
constexpr DurationNs kLongestLag = 5'000'000;

// Calls and loads of all threads, by begin. Calls are in that order in the trace.
std::vector<TaskId> HostTasksByBegin(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  auto earlier = [&](TaskId a, TaskId b) {
    return std::pair(graph.measured_begin[a], a) < std::pair(graph.measured_begin[b], b);
  };
  std::vector<TaskId> tasks;
  for (EventId call : draft.trace.OfKind(EventKind::kApi)) {
    const TaskId task = draft.TaskOf(call);
    if (!task.valid() || graph.event[task] != call) continue;  // Inside another call.
    tasks.push_back(task);
  }
  const auto calls = static_cast<std::ptrdiff_t>(tasks.size());
  for (TaskId task : graph.host_tasks()) {
    if (graph.kind[task] == TaskKind::kLoad) tasks.push_back(task);
  }
  std::sort(tasks.begin() + calls, tasks.end(), earlier);
  std::inplace_merge(tasks.begin(), tasks.begin() + calls, tasks.end(), earlier);
  return tasks;
}

}  // namespace

void AddHandoffs(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const std::size_t processes = draft.trace.processes().size();
  std::vector<std::uint32_t> thread_count(processes);
  for (const GraphThread& thread : graph.threads) {
    if (thread.track.valid()) ++thread_count[thread.process.value];
  }
  std::vector<std::vector<TaskId>> by_process(processes);
  for (TaskId task : HostTasksByBegin(draft)) {
    const ProcessId process = graph.threads[graph.lane[task]].process;
    if (thread_count[process.value] > 1) by_process[process.value].push_back(task);
  }
  for (const auto& calls : by_process) {
    // All calls of a process in order of time: where they pass from one thread to another without
    // overlap, the second may have waited for the first.
    std::uint32_t run_begin = 0;  // Where the current run of calls of one thread began.
    for (std::uint32_t i = 1; i < calls.size(); ++i) {
      const TaskId from = calls[i - 1];
      const TaskId task = calls[i];
      if (graph.lane[from] == graph.lane[task]) continue;
      const TaskId run_first = calls[run_begin];
      run_begin = i;
      if (graph.measured_end[from] > graph.measured_begin[task]) continue;
      const DurationNs lag = graph.measured_begin[task] - graph.measured_end[from];
      if (const TaskId previous = graph.PreviousOf(task); previous.valid()) {
        // It must have been silent since before the other began: a thread that fell silent in the
        // middle of the other's run waited for something else. And it must wake up soon after the
        // other is done, measured by its own silence. Hand-offs of autograd take 0.4 to 1 ms;
        // threads that compile kernels are silent for up to 256 ms, and that is their work.
        const DurationNs silence = graph.gap[task];
        const TimeNs silent_since = graph.measured_end[previous];
        if (silent_since > graph.measured_begin[run_first]) continue;
        if (lag > kLongestLag || lag > silence / 2 || silence < kShortestSilence) continue;
        graph.gap[task] = 0;  // The silence was waiting; counted twice, it would never shrink.
      }
      // The first call of a thread always hangs on somebody: anchored at its measured time, it
      // would stay there however fast the rest of the program becomes.
      graph.handoffs.push_back({task, from, lag});
    }
  }
  std::sort(graph.handoffs.begin(), graph.handoffs.end(),
            [](const Handoff& a, const Handoff& b) { return a.task < b.task; });
}

}  // namespace xsp
