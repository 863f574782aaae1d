#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/quantile.h"
#include "graph/draft.h"
#include "model/names/call_names.h"

// Calls that wait for the device by their very purpose: device, context, stream and event
// synchronize. Most of a training step's host time can be in them. Taken for the host's own work
// they would keep their length whatever becomes of the kernels: halving these would gain nothing.
namespace xsp {
namespace {

// Clocks of device and host are skewed and drift: a long wait may seem to end before the work does.
constexpr DurationNs kSkew = 20'000;
constexpr DurationNs kLongWait = 100'000;

// What a sync that need not wait costs, where the trace shows none.
constexpr DurationNs kDefaultOwnCost = 2'000;
// From the end of the work to the return of the call, where the trace does not show it.
constexpr DurationNs kDefaultTail = 4'000;

Question AskContext(std::uint32_t context) {
  return {Ask::kContext, Rule::kHostSync, false, 0, context};
}

// The contexts of a graph by process and number.
std::map<std::pair<ProcessId, std::uint32_t>, std::uint32_t> ContextsByNumber(
    const TaskGraph& graph) {
  std::map<std::pair<ProcessId, std::uint32_t>, std::uint32_t> contexts;
  for (std::uint32_t i = 0; i < graph.contexts.size(); ++i) {
    contexts.try_emplace({graph.contexts[i].process, graph.contexts[i].number}, i);
  }
  return contexts;
}

}  // namespace

void AskForSyncs(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const Trace& trace = draft.trace;
  const Syncs& syncs = trace.syncs();
  const auto contexts = ContextsByNumber(graph);
  for (EventId sync : trace.OfKind(EventKind::kSync)) {
    const TaskId task = draft.TaskOf(trace.call_of(sync));
    if (!task.valid() || graph.question[task].ask != Ask::kNothing) continue;
    const Rule rule = draft.RuleOfSync(trace.call_of(sync), task);
    if (rule == Rule::kNone) continue;
    const std::uint32_t row = trace.Row(sync, EventKind::kSync);
    if (syncs.sync_kind[row] == SyncKind::kStream && syncs.stream[row].valid()) {
      const std::uint32_t stream = draft.stream_of_track[syncs.stream[row].value];
      if (stream == Draft::kNone) continue;
      graph.question[task] = {Ask::kStream, rule, false, 0, stream};
    } else if (syncs.sync_kind[row] == SyncKind::kContext) {
      const auto context = contexts.find({trace.process_of(sync), syncs.context[row]});
      if (context != contexts.end()) graph.question[task] = AskContext(context->second);
    }
  }
}

// Calls that synchronize by their name but have no row that says what they wait for: exports
// without the table of synchronizations. All of the context is the safe answer. A call that was
// taken to wait for too much is found out when it returned before that was done.
void AskForUnrecordedSyncs(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (TaskId task : graph.host_tasks()) {
    const CallClass call_class = draft.ClassOf(task);
    const bool is_sync = call_class == CallClass::kSyncContext ||
                         call_class == CallClass::kSyncStream ||
                         call_class == CallClass::kSyncEvent;
    if (!is_sync || graph.question[task].ask != Ask::kNothing) continue;
    const std::uint32_t context = draft.context_of_task[task];
    if (context != Draft::kNone) graph.question[task] = AskContext(context);
  }
}

void LearnHostSyncs(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  PerName<Latencies> tails(draft);
  PerName<Latencies> idle_costs(draft);
  std::vector<TaskId> waiting;
  for (TaskId task : graph.host_tasks()) {
    Question& question = graph.question[task];
    if (question.rule != Rule::kHostSync) continue;
    const TimeNs begin = graph.measured_begin[task];
    const TimeNs end = graph.measured_end[task];
    const TaskId awaited = answers.awaited[task];
    if (!awaited.valid() || draft.EndOf(awaited) <= begin) {
      idle_costs[draft.NameOf(task)].push_back(end - begin);
      continue;
    }
    // On one of two GPUs syncs returned up to 7 µs before the copy they waited for had ended, by
    // its clock. In a long wait that is the clock; in a short one it is another reason to return.
    const DurationNs skew = end - begin > kLongWait ? kSkew : 0;
    if (draft.EndOf(awaited) > end + skew) {
      ++graph.dropped_waits;
      question = {};  // It returned long before: whatever it waited for, it was not this.
      continue;
    }
    tails[draft.NameOf(task)].push_back(end - draft.EndOf(awaited));
    waiting.push_back(task);
  }
  // By name, because the ways back differ: 1 to 8 µs are typical, but event syncs took 43 to 48 on
  // one card, and one program's syncs 136. A tail may be negative: clocks.
  PerName<ConstantId> tail_of(draft);
  PerName<DurationNs> cost_of(draft);
  for (TaskId task : graph.host_tasks()) {
    Question& question = graph.question[task];
    if (question.rule != Rule::kHostSync) continue;
    const StringId name = draft.NameOf(task);
    ConstantId& tail = tail_of[name];
    if (tail == 0) {
      const std::string bare(CallName(draft.trace.strings().Get(name)));
      tail = graph.constants.Learn("sync_tail." + bare, tails[name], kDefaultTail);
      Latencies& costs = idle_costs[name];
      cost_of[name] = costs.size() < kMinSamples ? kDefaultOwnCost : UpperMedian(costs);
    }
    question.latency = tail;
  }
  // Of a call that waited only the whole is known. What it would have cost had everything been done
  // already is what calls of its name took that found nothing to wait for.
  for (TaskId task : waiting) {
    graph.own[task] = std::min(graph.measured(task), cost_of[draft.NameOf(task)]);
    graph.flags[task] |= kWaited;
  }
}

}  // namespace xsp
