#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/waits/os_calls.h"

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

std::vector<std::uint8_t> ProcessesWithOsCalls(const Trace& trace) {
  std::vector<std::uint8_t> result(trace.processes().size());
  for (EventId call : trace.OfKind(EventKind::kOsrt)) result[trace.process_of(call).value] = 1;
  return result;
}

class SilentThreads {
  using Threads = std::pair<std::uint32_t, std::uint32_t>;  // Who goes on, and behind whom.

 public:
  explicit SilentThreads(Draft& draft)
      : draft_(draft), graph_(draft.graph), records_os_calls_(ProcessesWithOsCalls(draft.trace)) {}

  void Run() {
    const std::size_t processes = draft_.trace.processes().size();
    std::vector<std::uint32_t> thread_count(processes);
    for (const GraphThread& thread : graph_.threads) {
      if (thread.track.valid() && thread.calls_cuda) ++thread_count[thread.process.value];
    }
    std::vector<std::vector<TaskId>> by_process(processes);
    for (TaskId task : HostTasksByBegin(draft_)) {
      const ProcessId process = graph_.threads[graph_.lane[task]].process;
      if (thread_count[process.value] > 1) by_process[process.value].push_back(task);
    }
    for (const auto& calls : by_process) Follow(calls);
    for (const Pass& pass : passes_) {
      if (pass.is_woken && IsUsual({graph_.lane[pass.task], graph_.lane[pass.from]})) Bind(pass);
    }
    std::sort(graph_.handoffs.begin(), graph_.handoffs.end(),
              [](const Handoff& a, const Handoff& b) {
                return std::pair(a.task, a.from) < std::pair(b.task, b.from);
              });
  }

 private:
  // A thread that was silent for long goes on, and the call before is another thread's.
  struct Pass {
    TaskId task;
    TaskId from;
    bool is_woken;  // As it would be if that had ended the silence.
  };

  // All calls of a process in order of time: where they pass from one thread to another without
  // overlap, the second may have waited for the first.
  void Follow(const std::vector<TaskId>& calls) {
    std::uint32_t run_begin = 0;  // Where the current run of calls of one thread began.
    for (std::uint32_t i = 1; i < calls.size(); ++i) {
      const TaskId from = calls[i - 1];
      const TaskId task = calls[i];
      if (graph_.lane[from] == graph_.lane[task]) continue;
      const TaskId run_first = calls[run_begin];
      run_begin = i;
      const TaskId previous = graph_.PreviousOf(task);
      if (previous.valid()) {
        Note(run_first, from, task, previous);
      } else if (EndOf(from) <= graph_.measured_begin[task]) {
        // The first call of a thread always hangs on somebody: anchored at its measured time, it
        // would stay there however fast the rest of the program becomes.
        Add({task, from, graph_.measured_begin[task] - EndOf(from)});
      }
    }
  }

  void Note(TaskId run_first, TaskId from, TaskId task, TaskId previous) {
    TimeRange silence = {EndOf(previous), graph_.measured_begin[task]};
    // Where calls of the operating system were recorded, a wait is one of them, and nothing else.
    if (RecordsOsCalls(task)) {
      if (!IsOpenWait(previous)) return;
      silence = {graph_.measured_begin[previous], EndOf(previous)};
    }
    if (silence.Length() < kShortestSilence) return;
    const bool is_woken = IsWoken(silence, run_first, EndOf(from));
    Count& count = counts_[{graph_.lane[task], graph_.lane[from]}];
    ++count.passes;
    count.woken += is_woken ? 1 : 0;
    passes_.push_back({task, from, is_woken});
  }

  // Threads that have nothing to do with each other fall silent in turns now and then, too: of two
  // that have, one wakes up behind the other more often than not, and not in one step of many.
  bool IsUsual(const Threads& threads) const {
    constexpr std::size_t kOneOf = 8;
    const Count& count = counts_.at(threads);
    return 2 * count.woken >= count.passes &&
           kOneOf * count.woken >= draft_.hierarchy.steps().steps.size();
  }

  void Bind(const Pass& pass) {
    if (!RecordsOsCalls(pass.task)) {
      graph_.gap[pass.task] = 0;  // The silence was waiting; counted twice, it would never shrink.
      return Add({pass.task, pass.from, graph_.measured_begin[pass.task] - EndOf(pass.from)});
    }
    const TaskId wait = graph_.PreviousOf(pass.task);
    graph_.question[wait] = {Ask::kThread, Rule::kThreadWait, false, 0, 0};
    graph_.own[wait] = 0;
    graph_.flags[wait] |= kWaited;
    Add({wait, pass.from, EndOf(wait) - EndOf(pass.from), Rule::kThreadWait});
  }

  // It must have been silent since before the other began: a thread that fell silent in the
  // middle of the other's run waited for something else. And it must wake up soon after the
  // other is done, measured by its own silence. Hand-offs of autograd take 0.4 to 1 ms;
  // threads that compile kernels are silent for up to 256 ms, and that is their work.
  bool IsWoken(TimeRange silence, TaskId run_first, TimeNs done) const {
    const DurationNs lag = silence.end - done;
    return silence.begin <= graph_.measured_begin[run_first] && 0 <= lag && lag <= kLongestLag &&
           lag <= silence.Length() / 2;
  }

  bool RecordsOsCalls(TaskId task) const {
    return records_os_calls_[graph_.threads[graph_.lane[task]].process.value] != 0;
  }

  // A wait for others of which nothing is known yet.
  bool IsOpenWait(TaskId task) const {
    return graph_.kind[task] == TaskKind::kOsCall && graph_.question[task].ask == Ask::kNothing &&
           graph_.event[task].valid() && draft_.ran_out.count(graph_.event[task]) == 0 &&
           OsCallOf(draft_.trace.name(graph_.event[task])) == OsCall::kWait;
  }

  TimeNs EndOf(TaskId task) const { return graph_.measured_end[task]; }
  void Add(Handoff handoff) { graph_.handoffs.push_back(handoff); }

  struct Count {
    std::uint32_t passes = 0;
    std::uint32_t woken = 0;
  };

  Draft& draft_;
  TaskGraph& graph_;
  const std::vector<std::uint8_t> records_os_calls_;
  std::vector<Pass> passes_;
  std::map<Threads, Count> counts_;
};

}  // namespace

void AddHandoffs(Draft& draft) { SilentThreads(draft).Run(); }

}  // namespace xsp
