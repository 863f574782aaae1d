#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/waits/os_calls.h"
#include "graph/waits/pace.h"
#include "model/names/call_names.h"

// Waits of threads that a host function ends: one that a stream calls when it has come so far
// (cudaLaunchHostFunc, cudaStreamAddCallback). A thread of the driver runs it, of which nothing is
// recorded; what stands before it on its stream is. Where no call of the operating system was
// recorded either, a thread is silent while it waits.
namespace xsp {
namespace {

constexpr double kSureOfCallback = 3;

bool IsHostFunction(std::string_view name) {
  const std::string_view bare = BareCallName(name);
  return bare.starts_with("LaunchHostFunc") || bare.starts_with("StreamAddCallback");
}

std::vector<std::uint8_t> ProcessesOfOsCalls(const Trace& trace) {
  std::vector<std::uint8_t> result(trace.processes().size());
  for (EventId call : trace.OfKind(EventKind::kOsrt)) result[trace.process_of(call).value] = 1;
  return result;
}

// When a stream came to a host function: what it had last, and when that was done.
struct Callback {
  TimeNs at = 0;
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
    const std::vector<std::uint8_t> is_recorded = ProcessesOfOsCalls(draft_.trace);
    for (const GraphThread& thread : graph_.threads) {
      if (of_process_[thread.process.value].size() < kFewestWaits) continue;
      is_recorded[thread.process.value] != 0 ? Look(thread) : LookAtSilences(thread);
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

  // A thread that is silent whenever a host function is called waits for that, as programs that
  // have such functions do; unless the silence is as long as ever, however late the call came.
  void LookAtSilences(const GraphThread& thread) {
    const std::vector<Callback>& callbacks = of_process_[thread.process.value];
    std::vector<std::pair<DurationNs, DurationNs>> before_and_behind;
    std::vector<std::pair<TaskId, TaskId>> ended;  // What came after, and behind what the silence.
    for (TaskId task : thread.tasks()) {
      const TaskId previous = graph_.PreviousOf(task);
      if (!previous.valid() || graph_.gap[task] < kShortestWait) continue;
      const TimeNs begin = graph_.measured_end[previous], end = graph_.measured_begin[task];
      const auto [at, op] = CallbackBefore(callbacks, begin, end);
      if (!op.valid()) continue;
      before_and_behind.emplace_back(at - begin, end - at);
      ended.emplace_back(task, op);
    }
    if (ended.size() < kFewestWaits || 4 * ended.size() < 3 * callbacks.size()) return;
    if (PaceOfPairs(before_and_behind, kSureOfCallback) == Pace::kDeadline) return;
    for (const auto& [task, op] : ended) {
      graph_.gap[task] = 0;
      graph_.handoffs.push_back({task, op, graph_.measured_begin[task] - graph_.measured_end[op]});
    }
  }

  static Callback CallbackBefore(const std::vector<Callback>& callbacks, TimeNs begin, TimeNs end) {
    const auto after = std::partition_point(callbacks.begin(), callbacks.end(),
                                            [&](const Callback& c) { return c.at < end; });
    if (after == callbacks.begin() || std::prev(after)->at <= begin) return {};
    return *std::prev(after);
  }

  static TaskId LastBefore(const std::vector<Callback>& callbacks, TimeNs begin, TimeNs end,
                           DurationNs window) {
    return CallbackBefore(callbacks, std::max(begin, end - window), end).op;
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
