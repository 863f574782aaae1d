#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "graph/draft.h"
#include "model/names/call_names.h"

// Launches that return when what they launched is done: CUDA_LAUNCH_BLOCKING=1, profilers and
// debuggers that let kernels run one by one. No row says so; the times do. Taken for launches as
// others are, their kernels would begin long before they "were issued", and a kernel half as long
// would gain nothing.
namespace xsp {
namespace {

// Shorter work can be over before an ordinary launch has returned.
constexpr DurationNs kShortestTelling = 2'000;
// No launch takes so long but for what it waits for.
constexpr DurationNs kLongLaunch = 50'000;
// So many must have told, and nearly all of them the same.
constexpr std::uint32_t kFewestTelling = 8;
// Clocks of device and host are skewed: what seems to end this much later may have ended before.
constexpr DurationNs kWorkSkew = 20'000;
// From the end of the work to the return of the call, where the trace does not show it.
constexpr DurationNs kDefaultLaunchTail = 5'000;
// What a launch costs, where the trace does not show it.
constexpr DurationNs kDefaultLaunchCost = 5'000;

// What a call launched, as one piece.
struct Launched {
  TimeNs begin = 0;
  TimeNs end = 0;
};

Launched WorkOfCall(const Draft& draft, TaskId call) {
  const TaskRange ops = draft.graph.OpsOf(call);
  Launched work{draft.graph.measured_begin[ops.front()], draft.EndOf(ops.front())};
  for (TaskId op : ops) work.end = std::max(work.end, draft.EndOf(op));
  return work;
}

// Whether a call was still there when its work was done.
bool IsWithin(const Draft& draft, TaskId call, const Launched& work) {
  const DurationNs skew = std::min(kWorkSkew, (work.end - work.begin) / 4);
  return work.begin + skew >= draft.graph.measured_begin[call] &&
         work.end <= draft.EndOf(call) + skew;
}

// Calls that may behave alike, from the widest to the narrowest: of a process, of a thread, of a
// thread for one kernel.
using LaunchGroup = std::tuple<int, std::uint32_t, StringId, StringId>;

std::array<LaunchGroup, 3> GroupsOf(const Draft& draft, TaskId call) {
  const TaskGraph& graph = draft.graph;
  const std::uint32_t thread = graph.lane[call];
  const StringId name = draft.NameOf(call);
  const EventId work = graph.event[graph.OpsOf(call).front()];
  const StringId kernel = work.valid() ? draft.trace.name_of(work) : StringId();
  return {LaunchGroup{0, graph.threads[thread].process.value, name, StringId()},
          LaunchGroup{1, thread, name, StringId()}, LaunchGroup{2, thread, name, kernel}};
}

// A call that took long though its work was short, and returned as soon as that was done: it had to
// wait for its turn on the stream, and the call for it.
bool EndsWithShortWork(const Draft& draft, TaskId call, const Launched& work) {
  const DurationNs length = draft.graph.measured(call);
  return IsWithin(draft, call, work) &&
         2 * (work.begin - draft.graph.measured_begin[call]) >= length &&
         10 * (draft.EndOf(call) - work.end) <= length;
}

struct LaunchEvidence {
  std::uint32_t asked = 0;   // Calls whose work is long enough to tell.
  std::uint32_t within = 0;  // Of these, those that returned behind it.
  DurationNs work = 0;       // Sums over these.
  DurationNs calls = 0;
  std::uint32_t long_calls = 0;  // Calls that took long,
  std::uint32_t end_with = 0;    // and returned with their short work.

  static bool AreEnough(std::uint32_t some, std::uint32_t all) {
    return all >= kFewestTelling && 20 * std::uint64_t{some} >= 19 * std::uint64_t{all};
  }
  // A slow launch can hold the whole of a short kernel, too; but it is not about as long.
  bool Tells() const {
    return (AreEnough(within, asked) && 5 * work >= calls) || AreEnough(end_with, long_calls);
  }
};

bool MayBlock(const Draft& draft, TaskId task) {
  const TaskGraph& graph = draft.graph;
  return graph.kind[task] == TaskKind::kCall && graph.question[task].ask == Ask::kNothing &&
         !graph.OpsOf(task).empty() &&
         graph.submit[graph.RowOf(graph.OpsOf(task).front())] == Submit::kAfterOwnCost;
}

// By launches that found their stream free, else by those that do not wait.
DurationNs UsualCost(Latencies& free, Latencies& others) {
  Latencies& told = free.size() < kMinSamples ? others : free;
  if (told.size() < kMinSamples) return kDefaultLaunchCost;
  std::sort(told.begin(), told.end());
  return RobustMean(told);
}

}  // namespace

void AskForBlockingLaunches(Draft& draft) {
  TaskGraph& graph = draft.graph;
  std::map<LaunchGroup, LaunchEvidence> groups;
  for (TaskId task : graph.host_tasks()) {
    if (!MayBlock(draft, task)) continue;
    const Launched work = WorkOfCall(draft, task);
    const bool is_long = graph.measured(task) >= kLongLaunch;
    const bool tells = work.end - work.begin >= kShortestTelling;
    if (!is_long && !tells) continue;
    const bool is_within = IsWithin(draft, task, work);
    const bool ends_with = is_long && EndsWithShortWork(draft, task, work);
    for (const LaunchGroup& group : GroupsOf(draft, task)) {
      LaunchEvidence& evidence = groups[group];
      evidence.long_calls += is_long ? 1 : 0;
      evidence.end_with += ends_with ? 1 : 0;
      if (!tells) continue;
      ++evidence.asked;
      if (!is_within) continue;
      ++evidence.within;
      evidence.work += work.end - work.begin;
      evidence.calls += graph.measured(task);
    }
  }
  std::erase_if(groups, [](const auto& entry) { return !entry.second.Tells(); });
  if (groups.empty()) return;
  for (TaskId task : graph.host_tasks()) {
    if (!MayBlock(draft, task) || !IsWithin(draft, task, WorkOfCall(draft, task))) continue;
    const auto of = GroupsOf(draft, task);
    const bool blocks = std::any_of(of.begin(), of.end(), [&](const LaunchGroup& group) {
      return groups.find(group) != groups.end();
    });
    if (blocks) graph.question[task] = {Ask::kOwnWork, Rule::kBlockingLaunch, false, 0, 0};
  }
}

void LearnBlockingLaunches(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  PerName<Latencies> tails(draft), costs(draft);
  std::vector<TaskId> calls;
  // Until its work began a call did its own part, if nothing else held the work up.
  auto cost_of = [&](TaskId call) {
    const TaskId op = graph.OpsOf(call).front();
    return std::max<DurationNs>(0, graph.measured_begin[op] - graph.measured_begin[call] -
                                       graph.lag(graph.SubmitDelay(op)));
  };
  auto was_free = [&](TaskId call) {
    const OpIndex row = graph.RowOf(graph.OpsOf(call).front());
    auto is_done = [&](TaskId task) {
      return !task.valid() || draft.EndOf(task) <= graph.measured_begin[call];
    };
    return is_done(answers.stream[row]) && is_done(answers.engine[row]) &&
           is_done(answers.other[row]);
  };
  PerName<Latencies> others(draft);  // What launches cost that do not wait.
  for (TaskId task : graph.host_tasks()) {
    if (MayBlock(draft, task) && (graph.flags[task] & kWaited) == 0) {
      others[draft.NameOf(task)].push_back(graph.measured(task));
    }
    if (graph.question[task].rule != Rule::kBlockingLaunch) continue;
    calls.push_back(task);
    const StringId name = draft.NameOf(task);
    tails[name].push_back(draft.EndOf(task) - WorkOfCall(draft, task).end);
    if (was_free(task)) costs[name].push_back(cost_of(task));
  }
  PerName<ConstantId> tail_of(draft);
  PerName<DurationNs> usual(draft);
  for (TaskId task : calls) {
    const StringId name = draft.NameOf(task);
    if (tail_of[name] == 0) {
      const std::string bare(CallName(draft.trace.strings().Get(name)));
      tail_of[name] = graph.constants.Learn("launch_tail." + bare, tails[name], kDefaultLaunchTail);
      usual[name] = UsualCost(costs[name], others[name]);
    }
    graph.question[task].latency = tail_of[name];
    graph.own[task] = was_free(task) ? cost_of(task) : std::min(usual[name], cost_of(task));
    graph.flags[task] |= kWaited;
  }
}

}  // namespace xsp
