#include "graph/critical_path.h"

#include <algorithm>

#include "graph/call_class.h"
#include "model/interrupt.h"

namespace xsp {
namespace {

// Walks back in time along the edges that bound each point.
class PathWalk {
 public:
  PathWalk(const TaskGraph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule), classes_(*graph.trace) {}

  // `last`: what finishes last by the end of the span; none if nothing does.
  CriticalPath Run(SimSpan span, TaskId last_task) {
    path_ = {span, {}};
    cursor_ = path_.span.end;
    const std::uint32_t last = last_task.value;
    if (last_task.valid()) {
      Take(schedule_.finish[last], PathKind::kHostGap, last);
      std::uint32_t task = last;
      while (task != kStop && !done()) task = graph_.IsHost(task) ? FromHost(task) : FromOp(task);
    }
    if (!done()) Take(path_.span.begin, PathKind::kStart, kStop);
    std::reverse(path_.segments.begin(), path_.segments.end());
    return std::move(path_);
  }

 private:
  static constexpr std::uint32_t kStop = 0xFFFFFFFF;

  bool done() const { return cursor_ <= path_.span.begin; }

  void Take(SimTime from, PathKind kind, std::uint32_t task) {
    from = std::max(from, path_.span.begin);
    if (from != cursor_) {
      path_.segments.push_back({kind, task == kStop ? TaskId() : TaskId(task), from, cursor_});
    }
    cursor_ = from;
  }

  // From the finish of an operation to whatever it hangs on; returns the task at whose finish the
  // walk goes on.
  std::uint32_t FromOp(std::uint32_t op) {
    const Binding by = schedule_.finish_by[op];
    const std::uint32_t last_to_come = by.source.valid() ? by.source.value : op;
    Take(schedule_.begin[last_to_come], KindOfOp(last_to_come), op);
    if (done()) return kStop;
    return FromOpBegin(last_to_come);
  }

  std::uint32_t FromOpBegin(std::uint32_t op) {
    Binding by = schedule_.begin_by[op];
    while (by.rule == Rule::kPrefetch) {
      Take(schedule_.begin[by.source.value], PathKind::kStreamGap, op);
      if (done()) return kStop;
      op = by.source.value;
      by = schedule_.begin_by[op];
    }
    if (!by.source.valid()) return kStop;
    const std::uint32_t source = by.source.value;
    if (by.rule != Rule::kSubmit) {
      Take(schedule_.finish[source], PathKind::kStreamGap, op);
      return source;
    }
    if (graph_.submit[graph_.OpIndex(op)] != Submit::kAfterOwnCost) return kStop;
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
  std::uint32_t FromHost(std::uint32_t task) {
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
      default:
        Take(schedule_.begin[task], KindOfCall(task), task);
        return done() ? kStop : BeforeHost(task);
    }
    Take(schedule_.finish[by.source.value], tail, task);
    return by.source.value;
  }

  // From the begin of a host task.
  std::uint32_t BeforeHost(std::uint32_t task) {
    const Binding by = schedule_.begin_by[task];
    if (!by.source.valid()) return kStop;
    const bool is_handoff = by.rule == Rule::kThreadHandoff;
    if (!is_handoff) Take(schedule_.begin[task] - OffCpuBefore(task), PathKind::kOffCpu, task);
    Take(schedule_.finish[by.source.value],
         is_handoff ? PathKind::kThreadHandoff : PathKind::kHostGap, task);
    return by.source.value;
  }

  // How much of the time before a host task its thread was not scheduled.
  DurationNs OffCpuBefore(std::uint32_t task) const {
    const DurationNs gap = schedule_.begin[task] - schedule_.finish[task - 1];
    return std::min(graph_.OffCpuInGap(task), std::max<DurationNs>(0, gap));
  }

  PathKind KindOfOp(std::uint32_t op) const {
    if (graph_.IsCollective(op)) return PathKind::kCollective;
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

  PathKind KindOfCall(std::uint32_t task) const {
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
std::vector<TaskId> LastFinished(const Schedule& schedule, std::uint32_t task_count,
                                 const std::vector<SimSpan>& spans) {
  std::vector<TaskId> last(spans.size());
  auto take = [&](std::size_t span, TaskId task) {
    const bool is_later =
        !last[span].valid() || schedule.finish[task.value] > schedule.finish[last[span].value] ||
        (schedule.finish[task.value] == schedule.finish[last[span].value] && last[span] < task);
    if (is_later) last[span] = task;
  };
  for (std::uint32_t task = 0; task < task_count; ++task) {
    const SimTime finish = schedule.finish[task];
    const auto span =
        std::partition_point(spans.begin(), spans.end(),
                             [&](const SimSpan& candidate) { return candidate.end < finish; });
    if (finish.known() && span != spans.end()) {
      take(static_cast<std::size_t>(span - spans.begin()), TaskId(task));
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
  const std::vector<TaskId> last = LastFinished(schedule, graph.task_count(), spans);
  std::vector<CriticalPath> paths;
  PathWalk walk(graph, schedule);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CheckInterrupt();
    paths.push_back(walk.Run(spans[i], last[i]));
  }
  return paths;
}

}  // namespace xsp
