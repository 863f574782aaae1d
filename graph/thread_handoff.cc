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
std::vector<std::uint32_t> HostTasksByBegin(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(graph.measured_begin[a], a) < std::pair(graph.measured_begin[b], b);
  };
  std::vector<std::uint32_t> tasks;
  for (EventId call : draft.trace.OfKind(EventKind::kApi)) {
    const std::uint32_t task = draft.TaskOf(call);
    if (task == Draft::kNone || graph.event[task] != call) continue;  // Inside another call.
    tasks.push_back(task);
  }
  const auto calls = static_cast<std::ptrdiff_t>(tasks.size());
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
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
  std::vector<std::vector<std::uint32_t>> by_process(processes);
  for (std::uint32_t task : HostTasksByBegin(draft)) {
    const ProcessId process = graph.threads[graph.lane[task]].process;
    if (thread_count[process.value] > 1) by_process[process.value].push_back(task);
  }
  for (const auto& calls : by_process) {
    std::uint32_t run_begin = 0;  // Where the current run of calls of one thread began.
    for (std::uint32_t i = 1; i < calls.size(); ++i) {
      const std::uint32_t from = calls[i - 1];
      const std::uint32_t task = calls[i];
      if (graph.lane[from] == graph.lane[task]) continue;
      const std::uint32_t run_first = calls[run_begin];
      run_begin = i;
      if (graph.measured_end[from] > graph.measured_begin[task]) continue;
      const DurationNs lag = graph.measured_begin[task] - graph.measured_end[from];
      const bool is_first = task == graph.threads[graph.lane[task]].first;
      if (!is_first) {
        const DurationNs silence = graph.gap[task];
        const TimeNs silent_since = graph.measured_end[task - 1];
        if (silent_since > graph.measured_begin[run_first]) continue;
        if (lag > kLongestLag || lag > silence / 2 || silence < kShortestSilence) continue;
        graph.gap[task] = 0;
      }
      graph.handoffs.push_back({task, from, lag});
    }
  }
  std::sort(graph.handoffs.begin(), graph.handoffs.end(),
            [](const Handoff& a, const Handoff& b) { return a.task < b.task; });
}

}  // namespace xsp
