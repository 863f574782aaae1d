#include "graph/readings/critical_path.h"

#include <algorithm>
#include <optional>

#include "base/interrupt.h"
#include "graph/call_class.h"
#include "graph/one_time.h"
#include "graph/readings/back_walk.h"
#include "hierarchy/hierarchy.h"
#include "model/names/communication.h"

namespace xsp {
namespace {

// Names the pieces of the way back from the end of a span.
class PathWalk {
 public:
  PathWalk(const TaskGraph& graph, const Schedule& schedule)
      : graph_(graph),
        schedule_(schedule),
        classes_(*graph.trace),
        walk_(graph, schedule, BackWalk::Times::kSimulated) {}

  // `last`: what finishes last by the end of the span; none if nothing does.
  CriticalPath Run(SimSpan span, TaskId last) {
    path_ = {span, {}};
    cursor_ = path_.span.end;
    if (last.valid()) {
      Take(schedule_.finish[last], PathKind::kHostGap, last);
      walk_.StandAtFinish(last);
      while (!done()) {
        const std::optional<BackWalk::Piece> piece = walk_.Next();
        if (!piece) break;
        if (piece->rule == Rule::kProgramOrder) {
          Take(schedule_.begin[piece->task] - OffCpuBefore(piece->task), PathKind::kOffCpu,
               piece->task);
        }
        if (piece->rule == Rule::kOwnTime) TakeAfterOneTime(*piece);
        Take(piece->begin, IsOneTime(*piece) ? PathKind::kOneTime : KindOf(*piece), piece->task);
      }
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

  bool IsOneTime(const BackWalk::Piece& piece) const {
    return piece.rule == Rule::kOwnTime && OneTimeOf(graph_, piece.task) > 0;
  }

  // What a call does once it does first: behind that it is a call like others.
  void TakeAfterOneTime(const BackWalk::Piece& piece) {
    const DurationNs one_time = OneTimeOf(graph_, piece.task);
    if (one_time == 0) return;
    const SimTime after = piece.begin + one_time;
    if (after < cursor_) Take(after, KindOf(piece), piece.task);
  }

  // How much of the time before a host task its thread was not scheduled.
  DurationNs OffCpuBefore(TaskId task) const {
    const TaskId previous = graph_.PreviousOf(task);
    if (!previous.valid()) return 0;
    const DurationNs gap = schedule_.begin[task] - schedule_.finish[previous];
    return std::min(graph_.OffCpuInGap(task), std::max<DurationNs>(0, gap));
  }

  PathKind KindOf(const BackWalk::Piece& piece) const {
    if (walk_.IsRun(piece)) return KindOfOp(piece.source);
    return piece.rule == Rule::kOwnTime ? KindOfCall(piece.task) : RowOf(piece.rule).path;
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

  // A wait whose end nothing in the graph leads to lasts as long as measured.
  PathKind KindOfOsCall(TaskId task) const {
    const Rule rule = graph_.question[task].rule;
    return rule == Rule::kNone ? PathKind::kOsWait : RowOf(rule).path;
  }

  PathKind KindOfCall(TaskId task) const {
    if (graph_.kind[task] == TaskKind::kLoad) return PathKind::kDataLoading;
    if (graph_.kind[task] == TaskKind::kBefore) return PathKind::kStart;
    if (graph_.kind[task] == TaskKind::kOsCall) return KindOfOsCall(task);
    switch (classes_.Of(graph_, task)) {
      case CallClass::kLaunch:
        return PathKind::kLaunch;
      case CallClass::kFree:
      case CallClass::kAllocate:
      case CallClass::kPool:
        return PathKind::kAllocation;
      default:
        return PathKind::kCall;
    }
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const CallClasses classes_;
  BackWalk walk_;
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
