#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/waits/os_calls.h"
#include "model/names/call_names.h"

// Waits of threads that a host function ends: one that a stream calls when it has come so far
// (cudaLaunchHostFunc, cudaStreamAddCallback). A thread of the driver runs it, of which nothing is
// recorded; what stands before it on its stream is.
namespace xsp {
namespace {

bool IsHostFunction(std::string_view name) {
  const std::string_view bare = BareCallName(name);
  return bare.starts_with("LaunchHostFunc") || bare.starts_with("StreamAddCallback");
}

// When a stream came to a host function: what it had last, and when that was done.
struct Callback {
  TimeNs at;
  TaskId op;
};

class HostFunctions {
 public:
  explicit HostFunctions(Draft& draft)
      : draft_(draft), graph_(draft.graph), of_process_(draft.trace.processes().size()) {}

  void Run() {
    for (const GraphThread& thread : graph_.threads) AddCallbacks(thread);
    for (auto& callbacks : of_process_) {
      std::sort(callbacks.begin(), callbacks.end(), [](const Callback& a, const Callback& b) {
        return std::pair(a.at, a.op) < std::pair(b.at, b.op);
      });
    }
    for (const GraphThread& thread : graph_.threads) {
      if (of_process_[thread.process.value].size() >= kFewestWaits) Look(thread);
    }
  }

 private:
  // Which stream calls it is not recorded: that of what the thread issued last, as programs do.
  void AddCallbacks(const GraphThread& thread) {
    TaskId last;
    for (TaskId task : thread.tasks()) {
      if (const TaskRange ops = graph_.OpsOf(task); !ops.empty()) last = ops.back();
      const EventId event = graph_.event[task];
      if (graph_.kind[task] != TaskKind::kCall || !event.valid() || !last.valid()) continue;
      if (!IsHostFunction(draft_.trace.name(event))) continue;
      const TimeNs at = std::max(graph_.measured_end[last], graph_.measured_end[task]);
      of_process_[thread.process.value].push_back({at, last});
    }
  }

  void Look(const GraphThread& thread) {
    const std::vector<Callback>& callbacks = of_process_[thread.process.value];
    const DurationNs interval =
        std::max<DurationNs>(1, (callbacks.back().at - callbacks.front().at) /
                                    static_cast<DurationNs>(callbacks.size() - 1));
    const DurationNs window = std::clamp(interval / kWakesPerSignal, kUsualWake, kLongestWake);
    std::size_t waits = 0;
    std::vector<std::pair<TaskId, TaskId>> ended;  // A wait, and behind what that was.
    for (TaskId task : thread.tasks()) {
      if (!IsOpenWait(task)) continue;
      ++waits;
      const TaskId op =
          LastBefore(callbacks, graph_.measured_begin[task], graph_.measured_end[task], window);
      if (op.valid()) ended.emplace_back(task, op);
    }
    const double chance =
        std::min(1.0, static_cast<double>(window) / static_cast<double>(interval));
    const double by_chance = kTimesChance * chance * static_cast<double>(waits);
    const bool is_often = kPartsOfWaits * ended.size() >= waits;
    if (!is_often || static_cast<double>(ended.size()) < by_chance + kFewestWaits) return;
    for (const auto& [wait, op] : ended) Bind(wait, op);
  }

  static TaskId LastBefore(const std::vector<Callback>& callbacks, TimeNs begin, TimeNs end,
                           DurationNs window) {
    const auto after = std::partition_point(callbacks.begin(), callbacks.end(),
                                            [&](const Callback& c) { return c.at < end; });
    if (after == callbacks.begin()) return {};
    const Callback& last = *std::prev(after);
    return last.at > std::max(begin, end - window) ? last.op : TaskId();
  }

  bool IsOpenWait(TaskId task) const {
    const EventId event = graph_.event[task];
    return graph_.kind[task] == TaskKind::kOsCall && event.valid() &&
           graph_.question[task].ask == Ask::kNothing && draft_.ran_out.count(event) == 0 &&
           draft_.trace.OfKind(EventKind::kOsrt).Contains(event) &&
           OsCallOf(draft_.trace.name(event)) == OsCall::kWait;
  }

  void Bind(TaskId wait, TaskId op) {
    const DurationNs lag = graph_.measured_end[wait] - graph_.measured_end[op];
    graph_.handoffs.push_back({wait, op, lag, Rule::kThreadWait});
    graph_.question[wait] = {Ask::kThread, Rule::kThreadWait, false, 0, 0};
    graph_.own[wait] = 0;
    graph_.flags[wait] |= kWaited;
  }

  Draft& draft_;
  TaskGraph& graph_;
  std::vector<std::vector<Callback>> of_process_;
};

}  // namespace

void AskForHostFunctions(Draft& draft) { HostFunctions(draft).Run(); }

}  // namespace xsp
