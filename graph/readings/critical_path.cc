#include "graph/readings/critical_path.h"

#include <algorithm>

#include "graph/call_class.h"
#include "hierarchy/hierarchy.h"
#include "model/interrupt.h"
#include "model/names/communication.h"

namespace xsp {
namespace {

// Walks back in time along the edges that bound each point.
class PathWalk {
 public:
  PathWalk(const TaskGraph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule), classes_(*graph.trace) {}

  // `last`: what finishes last by the end of the span; none if nothing does.
  CriticalPath Run(SimSpan span, TaskId last) {
    path_ = {span, {}};
    cursor_ = path_.span.end;
    if (last.valid()) {
      Take(schedule_.finish[last], PathKind::kHostGap, last);
      TaskId task = last;
      while (task.valid() && !done()) task = graph_.IsHost(task) ? FromHost(task) : FromOp(task);
    }
    if (!done()) Take(path_.span.begin, PathKind::kStart, {});
    std::reverse(path_.segments.begin(), path_.segments.end());
    return std::move(path_);
  }

 private:
  bool done() const { return cursor_ <= path_.span.begin; }

  void Take(SimTime from, PathKind kind, TaskId task) {
    from = std::max(from, path_.span.begin);
    if (from != cursor_) {
      path_.segments.push_back({kind, task, from, cursor_});
    }
    cursor_ = from;
  }

  // From the finish of an operation to whatever it hangs on; returns the task at whose finish the
  // walk goes on, none where it ends.
  TaskId FromOp(TaskId op) {
    const Binding by = schedule_.finish_by[op];
    const TaskId last_to_come = by.source.valid() ? by.source : op;
    Take(schedule_.begin[last_to_come], KindOfOp(last_to_come), op);
    if (done()) return {};
    return FromOpBegin(last_to_come);
  }

  TaskId FromOpBegin(TaskId op) {
    Binding by = schedule_.begin_by[op];
    while (by.rule == Rule::kPrefetch) {
      Take(schedule_.begin[by.source], PathKind::kStreamGap, op);
      if (done()) return {};
      op = by.source;
      by = schedule_.begin_by[op];
    }
    if (!by.source.valid()) return {};
    const TaskId source = by.source;
    if (by.rule != Rule::kSubmit) {
      Take(schedule_.finish[source], PathKind::kStreamGap, op);
      return source;
    }
    if (graph_.submit[graph_.RowOf(op)] != Submit::kAfterOwnCost) return {};
    const Question& question = graph_.question[source];
    if (!IsWait(question.ask) || question.before_work) {
      Take(schedule_.finish[source], PathKind::kSubmit, op);
      return source;
    }
    Take(schedule_.begin[source] + graph_.own[source], PathKind::kSubmit, op);
    Take(schedule_.begin[source], KindOfCall(source), source);
    return BeforeHost(source);
  }

  // From the finish of a host task.
  TaskId FromHost(TaskId task) {
    const Binding by = schedule_.finish_by[task];
    PathKind tail = PathKind::kCall;
    switch (by.rule) {
      case Rule::kHostSync:
        tail = PathKind::kSyncTail;
        break;
      case Rule::kBlockingCopy:
        tail = PathKind::kCopyTail;
        break;
      case Rule::kAllocation:
        tail = PathKind::kAllocation;
        break;
      case Rule::kLaunchQueue:
        tail = PathKind::kQueueTail;
        break;
      case Rule::kLoader:  // Its producer decides, since the load before that it was busy with.
        tail = PathKind::kDataLoading;
        break;
      default:
        Take(schedule_.begin[task], KindOfCall(task), task);
        return done() ? TaskId() : BeforeHost(task);
    }
    Take(schedule_.finish[by.source], tail, task);
    return by.source;
  }

  // From the begin of a host task.
  TaskId BeforeHost(TaskId task) {
    const Binding by = schedule_.begin_by[task];
    if (!by.source.valid()) return {};
    const bool is_handoff = by.rule == Rule::kThreadHandoff;
    if (!is_handoff) Take(schedule_.begin[task] - OffCpuBefore(task), PathKind::kOffCpu, task);
    Take(schedule_.finish[by.source], is_handoff ? PathKind::kThreadHandoff : PathKind::kHostGap,
         task);
    return by.source;
  }

  // How much of the time before a host task its thread was not scheduled.
  DurationNs OffCpuBefore(TaskId task) const {
    const TaskId previous = graph_.PreviousOf(task);
    if (!previous.valid()) return 0;
    const DurationNs gap = schedule_.begin[task] - schedule_.finish[previous];
    return std::min(graph_.OffCpuInGap(task), std::max<DurationNs>(0, gap));
  }

  // Also where only one rank was recorded, and the kernel's time is transfer and waiting.
  bool Communicates(TaskId op) const {
    if (graph_.HasPeers(op)) return true;
    if (graph_.kind[op] != TaskKind::kKernel || graph_.IsNew(op)) return false;
    const StringId name = graph_.trace->name_of(graph_.event[op]);
    return IsCommunication(graph_.hierarchy->kinds().OfName(name).kernel_class);
  }

  PathKind KindOfOp(TaskId op) const {
    if (Communicates(op)) return PathKind::kCollective;
    switch (graph_.kind[op]) {
      case TaskKind::kMemcpy:
        return PathKind::kCopy;
      case TaskKind::kMemset:
        return PathKind::kMemset;
      case TaskKind::kGraphSpan:
        return PathKind::kGraph;
      default:
        return PathKind::kKernel;
    }
  }

  PathKind KindOfCall(TaskId task) const {
    if (graph_.kind[task] == TaskKind::kLoad) return PathKind::kDataLoading;
    if (graph_.kind[task] == TaskKind::kBefore) return PathKind::kStart;
    switch (classes_.Of(graph_, task)) {
      case CallClass::kLaunch:
        return PathKind::kLaunch;
      case CallClass::kFree:
      case CallClass::kAllocate:
        return PathKind::kAllocation;
      default:
        return PathKind::kCall;
    }
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const CallClasses classes_;
  CriticalPath path_;
  SimTime cursor_;
};

// For each span the task that finishes last by its end, ties by the higher number (device
// operations). One pass over the tasks, however many spans there are.
std::vector<TaskId> LastFinished(const Schedule& schedule, const std::vector<SimSpan>& spans) {
  std::vector<TaskId> last(spans.size());
  auto take = [&](std::size_t span, TaskId task) {
    const bool is_later =
        !last[span].valid() || schedule.finish[task] > schedule.finish[last[span]] ||
        (schedule.finish[task] == schedule.finish[last[span]] && last[span] < task);
    if (is_later) last[span] = task;
  };
  for (TaskId task : schedule.finish.rows()) {
    const SimTime finish = schedule.finish[task];
    const auto span =
        std::partition_point(spans.begin(), spans.end(),
                             [&](const SimSpan& candidate) { return candidate.end < finish; });
    if (finish.known() && span != spans.end()) {
      take(static_cast<std::size_t>(span - spans.begin()), task);
    }
  }
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (last[i - 1].valid()) take(i, last[i - 1]);
  }
  return last;
}

}  // namespace

std::string_view NameOf(PathKind kind) {
  constexpr std::array<std::string_view, kPathKindCount> kNames = {
      "kernel",  "collective", "copy",      "memset",     "graph",          "stream_gap",
      "submit",  "launch",     "call",      "allocation", "data_loading",   "host_gap",
      "off_cpu", "sync_tail",  "copy_tail", "queue_tail", "thread_handoff", "start"};
  return kNames[static_cast<std::size_t>(kind)];
}

CriticalPath FindCriticalPath(const TaskGraph& graph, const Schedule& schedule, SimSpan span) {
  return std::move(FindCriticalPaths(graph, schedule, {span}).front());
}

std::vector<CriticalPath> FindCriticalPaths(const TaskGraph& graph, const Schedule& schedule,
                                            const std::vector<SimSpan>& spans) {
  const std::vector<TaskId> last = LastFinished(schedule, spans);
  std::vector<CriticalPath> paths;
  PathWalk walk(graph, schedule);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CheckInterrupt();
    paths.push_back(walk.Run(spans[i], last[i]));
  }
  return paths;
}

}  // namespace xsp
