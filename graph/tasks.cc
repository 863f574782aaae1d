#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "graph/draft.h"
#include "graph/rules/polling.h"
#include "graph/unit/gpu_span.h"

// Tasks of a graph: host calls by thread, device operations by call.
namespace xsp {
namespace {

// Ranges that load data, on one thread: disjoint, in order of time.
using LoadRanges = std::vector<EventId>;

// The outermost ranges whose names speak of loading data, by track.
std::vector<LoadRanges> FindLoadRanges(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  std::vector<LoadRanges> loads(trace.tracks().size());
  for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
    if (hierarchy.names().OfRange(trace.name_of(range)).phase != Phase::kDataLoading) continue;
    LoadRanges& list = loads[trace.track_of(range).value];
    if (list.empty() || trace.end(list.back()) <= trace.begin(range)) list.push_back(range);
  }
  return loads;
}

CallsOfThreads GroupCalls(const Trace& trace) {
  std::vector<std::uint32_t> counts(trace.tracks().size());
  for (EventId call : trace.OfKind(EventKind::kApi)) ++counts[trace.track_of(call).value];
  CallsOfThreads calls(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) calls[i].reserve(counts[i]);
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    calls[trace.track_of(call).value].push_back(call);
  }
  return calls;
}

// A watchdog: it asks whether work is done and never issues any.
bool OnlyPolls(const Draft& draft, const std::vector<EventId>& calls) {
  return std::all_of(calls.begin(), calls.end(), [&](EventId call) {
    return draft.classes.Of(draft.trace.name_of(call)) == CallClass::kPoll;
  });
}

void AddHostTask(TaskGraph& graph, TaskKind kind, EventId event, TimeNs begin, TimeNs end,
                 std::uint32_t thread) {
  graph.event.push_back(event);
  graph.measured_begin.push_back(begin);
  graph.measured_end.push_back(end);
  graph.own.push_back(end - begin);
  graph.lane.push_back(thread);
  graph.kind.push_back(kind);
  graph.flags.push_back(0);
  graph.gap.push_back(0);
  graph.question.emplace_back();
}

// What a thread does between its CUDA calls: it loads data, and waits in calls of the system.
struct Between {
  const LoadRanges& loads;
  const std::vector<OsTask>& os_tasks;
  TaskId first = {};  // Of the thread.
  std::size_t next_load = 0;
  std::size_t next_os = 0;
};

// A wait is a task if it lies between two calls as a whole; what is inside a call, or inside a
// load, is a part of these.
void AddOsTasks(Draft& draft, Between& between, TimeNs until, TimeNs next_call,
                std::uint32_t thread) {
  TaskGraph& graph = draft.graph;
  const std::vector<OsTask>& tasks = between.os_tasks;
  for (; between.next_os < tasks.size(); ++between.next_os) {
    const auto& [event, time] = tasks[between.next_os];
    if (time.begin >= until) return;
    const bool has_previous = graph.task_count() > between.first.value;
    const TimeNs idle_since = has_previous ? graph.measured_end.back() : time.begin;
    if (time.begin < idle_since || time.end > next_call) continue;
    if (event.valid()) draft.task_of_os.emplace(event, TaskId(graph.task_count()));
    AddHostTask(graph, TaskKind::kOsCall, event, time.begin, time.end, thread);
    graph.gap.back() = time.begin - idle_since;
  }
}

// Loading data takes place where a range says so and no call is made: the part of the untraced time
// before the next call that such a range covers becomes a task.
void AddBetween(Draft& draft, Between& between, TimeNs until, std::uint32_t thread) {
  const Trace& trace = draft.trace;
  TaskGraph& graph = draft.graph;
  const LoadRanges& loads = between.loads;
  for (std::size_t& next = between.next_load; next < loads.size(); ++next) {
    if (trace.begin(loads[next]) >= until) break;
    AddOsTasks(draft, between, trace.begin(loads[next]), until, thread);
    const TimeNs idle_since = graph.measured_end.back();
    const TimeNs begin = std::max(trace.begin(loads[next]), idle_since);
    const TimeNs end = std::min(trace.end(loads[next]), until);
    if (begin < end) {
      AddHostTask(graph, TaskKind::kLoad, loads[next], begin, end, thread);
      graph.gap.back() = begin - idle_since;
    }
    if (trace.end(loads[next]) > until) break;  // It goes on behind the next call.
  }
  AddOsTasks(draft, between, until, until, thread);
}

// The calls of a loop of queries are one task, which the first of them has opened.
void AddPollLoop(Draft& draft, const std::vector<EventId>& calls, const PollRun& run) {
  const Trace& trace = draft.trace;
  TaskGraph& graph = draft.graph;
  const TaskId task(graph.task_count() - 1);
  PollLoop loop{task, calls[run.last]};
  EventId before = calls[run.first];
  for (std::size_t i = run.first; i <= run.last; ++i) {
    draft.task_of_call[calls[i].value - trace.OfKind(EventKind::kApi).first] = task;
    const bool is_inside = i > run.first && trace.begin(calls[i]) < trace.end(before);
    if (is_inside || draft.classes.Of(trace.name_of(calls[i])) != CallClass::kPoll) continue;
    if (i < run.last) loop.last_in_vain = trace.begin(calls[i]);
    before = calls[i];
    ++loop.polls;
  }
  graph.measured_end[task] = trace.end(loop.last);
  graph.own[task] = graph.measured(task);
  loop.interval = (trace.begin(loop.last) - graph.measured_begin[task]) / (loop.polls - 1);
  draft.poll_loops.emplace(task, loop);
}

void AddThread(Draft& draft, TrackId track, const std::vector<EventId>& calls, Between between,
               const std::vector<PollRun>& polls) {
  TaskGraph& graph = draft.graph;
  const Trace& trace = draft.trace;
  const EventSpan all = trace.OfKind(EventKind::kApi);
  const auto thread = static_cast<std::uint32_t>(graph.threads.size());
  const TaskId first(graph.task_count());
  auto loop = polls.begin();
  between.first = first;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const EventId call = calls[i];
    TaskId& task = draft.task_of_call[call.value - all.first];
    const bool has_previous = graph.task_count() > first.value;
    if (has_previous && trace.begin(call) < graph.measured_end.back()) {
      task = TaskId(graph.task_count() - 1);
      ++graph.nested_calls;
      continue;
    }
    if (has_previous) AddBetween(draft, between, trace.begin(call), thread);
    task = TaskId(graph.task_count());
    const DurationNs gap = has_previous ? trace.begin(call) - graph.measured_end.back() : 0;
    AddHostTask(graph, TaskKind::kCall, call, trace.begin(call), trace.end(call), thread);
    graph.gap.back() = gap;
    if (loop != polls.end() && loop->first == i) {
      AddPollLoop(draft, calls, *loop);
      i = (loop++)->last;
    }
  }
  if (calls.empty()) AddOsTasks(draft, between, kAllTime.end, kAllTime.end, thread);
  graph.threads.push_back({track, trace.track(track).process, first, TaskId(graph.task_count()),
                           graph.measured_begin[first]});
  graph.threads.back().calls_cuda = !calls.empty();
}

// Makes room for all tasks at once: columns that grow are copied again and again.
void Reserve(const Trace& trace, TaskGraph& graph) {
  const std::size_t hosts = trace.OfKind(EventKind::kApi).size();
  const std::size_t ops = trace.DeviceWork().size();
  auto reserve = [](std::size_t rows, auto&... columns) { (columns.reserve(rows), ...); };
  reserve(hosts + ops, graph.event, graph.measured_begin, graph.measured_end, graph.own, graph.lane,
          graph.kind, graph.flags);
  reserve(hosts, graph.gap, graph.question);
  reserve(ops, graph.op_class, graph.submit, graph.call, graph.engine);
}

void AddCalls(Draft& draft) {
  const Trace& trace = draft.trace;
  draft.task_of_call.assign(trace.OfKind(EventKind::kApi).size(), TaskId());
  const CallsOfThreads calls = GroupCalls(trace);
  const std::vector<LoadRanges> loads = FindLoadRanges(draft.hierarchy);
  OsWaits waits = FindOsWaits(trace, calls);
  AddSilences(trace, calls, waits);
  AddMpiTasks(trace, waits);
  const PollFinder polls(draft);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].empty() && waits.tasks[i].empty()) continue;
    if (!calls[i].empty() && OnlyPolls(draft, calls[i])) {
      draft.graph.polling_calls += calls[i].size();
    } else {
      AddThread(draft, TrackId(i), calls[i], {loads[i], waits.tasks[i]},
                polls.LoopsOf(calls[i], draft.graph.untold_polls));
    }
  }
  draft.woken = std::move(waits.woken);
  draft.ran_out = std::move(waits.ran_out);
  draft.graph.wait_limits = std::move(waits.limits);
}

struct Op {
  TaskId call;
  EventId event;
  Submit submit;
};

// The task that stands for what a process issued before the recording began.
class BeforeTasks {
 public:
  explicit BeforeTasks(Draft& draft) : draft_(draft), task_(draft.trace.processes().size()) {}

  TaskId Of(ProcessId process, TimeNs begin) {
    TaskId& task = task_[process.value];
    TaskGraph& graph = draft_.graph;
    if (!task.valid()) {
      task = TaskId(graph.task_count());
      AddHostTask(graph, TaskKind::kBefore, {}, begin, begin,
                  static_cast<std::uint32_t>(graph.threads.size()));
      graph.threads.push_back({{}, process, task, TaskId(graph.task_count()), begin});
    }
    return task;
  }

 private:
  Draft& draft_;
  std::vector<TaskId> task_;  // By process; none: not needed yet.
};

// Operations without a recorded call. Those at the head of a stream were issued before the
// recording began: the first stands where it was measured, the others follow it. One in the middle
// of a stream goes with the call of the operation before it, at its measured time.
void PlaceUnlinked(Draft& draft, std::vector<Op>& ops) {
  std::vector<TaskId> last_call(draft.graph.streams.size());
  BeforeTasks before(draft);
  const Trace& trace = draft.trace;
  for (Op& op : ops) {
    const std::uint32_t stream = draft.stream_of_track[trace.track_of(op.event).value];
    TaskId& last = last_call[stream];
    if (!op.call.valid()) {
      ++draft.graph.unlinked_ops;
      const bool is_first = !last.valid();
      if (is_first) last = before.Of(trace.process_of(op.event), trace.begin(op.event));
      op.call = last;
      const bool was_before = draft.graph.kind[last] == TaskKind::kBefore;
      op.submit = was_before && !is_first ? Submit::kStreamOnly : Submit::kAnchored;
    }
    last = op.call;
  }
}

// All operations, by begin. Each kind is sorted already.
std::vector<Op> CollectOps(Draft& draft) {
  const Trace& trace = draft.trace;
  auto earlier = [&](const Op& a, const Op& b) {
    return std::pair(trace.begin(a.event), a.event) < std::pair(trace.begin(b.event), b.event);
  };
  std::vector<Op> ops;
  ops.reserve(trace.DeviceWork().size());
  for (EventKind kind :
       {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMemset, EventKind::kGraphSpan}) {
    const auto middle = static_cast<std::ptrdiff_t>(ops.size());
    for (EventId event : trace.OfKind(kind)) {
      if (draft.stream_of_track[trace.track_of(event).value] == Draft::kNone) continue;
      ops.push_back({draft.TaskOf(trace.call_of(event)), event, Submit::kAfterOwnCost});
    }
    std::inplace_merge(ops.begin(), ops.begin() + middle, ops.end(), earlier);
  }
  PlaceUnlinked(draft, ops);
  return ops;
}

OpClass ClassOfCopy(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHtoD:
    case CopyKind::kHtoA:
      return OpClass::kHtoD;
    case CopyKind::kDtoH:
    case CopyKind::kAtoH:
      return OpClass::kDtoH;
    default:
      return OpClass::kDtoD;
  }
}

std::pair<TaskKind, OpClass> KindOfOp(const Trace& trace, EventId event) {
  switch (trace.KindOf(event)) {
    case EventKind::kKernel: {
      const std::uint64_t node = trace.kernels().graph_node[trace.Row(event, EventKind::kKernel)];
      const bool in_graph = node != kMissing<std::uint64_t> && node != 0;
      return {TaskKind::kKernel, in_graph ? OpClass::kNode : OpClass::kKernel};
    }
    case EventKind::kMemcpy:
      return {TaskKind::kMemcpy, ClassOfCopy(trace.copies().copy_kind[trace.Row(event)])};
    case EventKind::kMemset:
      return {TaskKind::kMemset, OpClass::kMemset};
    default:
      return {TaskKind::kGraphSpan, OpClass::kGraph};
  }
}

void AddOps(Draft& draft) {
  std::vector<Op> ops = CollectOps(draft);
  TaskGraph& graph = draft.graph;
  const std::uint32_t hosts = graph.task_count();
  // By call, and by begin within a call: a counting sort of what is sorted by begin.
  std::vector<std::uint32_t> next(hosts + 1);  // By call: first how many, then where they go.
  for (const Op& op : ops) ++next[op.call.value];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
  for (std::uint32_t first : next) graph.first_op.emplace_back(hosts + first);
  std::vector<Op> by_call(ops.size());
  for (const Op& op : ops) by_call[next[op.call.value]++] = op;
  for (const Op& op : by_call) {
    const Trace& trace = draft.trace;
    const auto [kind, op_class] = KindOfOp(trace, op.event);
    graph.event.push_back(op.event);
    graph.measured_begin.push_back(trace.begin(op.event));
    graph.measured_end.push_back(trace.end(op.event));
    graph.own.push_back(trace.duration(op.event));
    graph.lane.push_back(draft.stream_of_track[trace.track_of(op.event).value]);
    graph.kind.push_back(kind);
    graph.flags.push_back(0);
    graph.op_class.push_back(op_class);
    graph.submit.push_back(op.submit);
    graph.call.push_back(op.call);
    graph.engine.push_back(TaskGraph::kNoEngine);
  }
}

// The context a call works in: that of its operations; else of the last ones its thread issued, or
// of the next; else the process's only one.
void FindContexts(Draft& draft) {
  const TaskGraph& graph = draft.graph;
  draft.context_of_task.assign(graph.host_count(), Draft::kNone);
  std::unordered_map<ProcessId, std::uint32_t> first_of_process;
  for (std::uint32_t i = 0; i < graph.contexts.size(); ++i) {
    first_of_process.try_emplace(graph.contexts[i].process, i);
  }
  for (const GraphThread& thread : graph.threads) {
    const auto first = first_of_process.find(thread.process);
    std::uint32_t context = first == first_of_process.end() ? Draft::kNone : first->second;
    for (TaskId task : thread.tasks()) {
      const TaskRange ops = graph.OpsOf(task);
      if (!ops.empty()) context = graph.streams[graph.lane[ops.front()]].context;
      draft.context_of_task[task] = context;
    }
  }
}

}  // namespace

void AddTasks(Draft& draft) {
  Reserve(draft.trace, draft.graph);
  AddCalls(draft);
  AddOps(draft);
  FindContexts(draft);
}

}  // namespace xsp
