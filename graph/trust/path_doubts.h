#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/call_class.h"
#include "graph/readings/critical_path.h"
#include "graph/rules/thread_stretches.h"
#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Time on critical paths that the graph takes for something fixed, though it may be a wait: how
// long it takes when something else changes, nobody can tell from it.
struct PathDoubts {
  DurationNs total = 0;         // Of all paths.
  DurationNs long_calls = 0;    // In calls far longer than such calls are, for no recorded reason.
  DurationNs waits = 0;         // Between calls, in system calls that wait, or off the processor.
  DurationNs polling = 0;       // In queries and between them.
  DurationNs silence = 0;       // Between calls, where system calls were not recorded.
  DurationNs unseen_ranks = 0;  // In collectives of which the other ranks were not recorded.
  // All that may be a wait for somebody, also what is told by silences alone (timers, hand-offs),
  // by thread: a row of TaskGraph::threads each.
  std::vector<DurationNs> of_thread;
  DurationNs told_by_silence = 0;  // Of that, what silences alone tell.

  double ShareOf(DurationNs part) const {
    return total > 0 ? static_cast<double>(part) / static_cast<double>(total) : 0;
  }
  // Host time that may be a wait for somebody, whoever that is.
  DurationNs MayWait() const { return long_calls + waits + polling + silence; }
};

// Threads of a graph: an entry for each, not 0 where it is one of them.
using ThreadSet = std::vector<std::uint8_t>;

// Looks at critical paths of one program, as it is and as edits make it.
class PathDoubtFinder {
 public:
  // `graph`: as it was recorded. It tells how long calls usually are.
  explicit PathDoubtFinder(const TaskGraph& graph);

  // How much of the untraced time before a host task its thread waited, as far as was recorded.
  DurationNs WaitedBefore(const TaskGraph& graph, TaskId task) const;

  // `graph`: the same, or an edit of it.
  PathDoubts Find(const TaskGraph& graph, const std::vector<CriticalPath>& paths) const;

  // The same program in which these threads never wait where they only may: what is left if all of
  // that was a wait for something that takes no time.
  TaskGraph WithoutDoubts(const TaskGraph& graph, const ThreadSet& threads) const;

  // Whether a call asks whether something is over, and whether the time before it passed between
  // two such calls.
  bool IsPoll(const TaskGraph& graph, TaskId task) const;
  bool IsBetweenPolls(const TaskGraph& graph, TaskId task) const {
    const TaskId previous = graph.PreviousOf(task);
    return previous.valid() && IsPoll(graph, task) && IsPoll(graph, previous);
  }
  // A wait for a time that may be one for another thread: only regular silences tell of it while
  // there are others, or it is in a call that others can end.
  bool IsDoubtfulTimer(const TaskGraph& graph, TaskId task) const;
  // A sleep whose length is given, and is always about the same.
  bool IsSteadyNap(const TaskGraph& graph, TaskId task) const;

 private:
  bool IsOddlyLong(const TaskGraph& graph, TaskId task) const;
  DurationNs LongSilenceBefore(const TaskGraph& graph, TaskId task) const;
  void LookAtGap(const TaskGraph& graph, TaskId task, DurationNs ns, PathDoubts& result) const;
  void LookAtLoad(const TaskGraph& graph, TaskId task, DurationNs ns, PathDoubts& result) const;
  void LookAt(const TaskGraph& graph, const PathSegment& piece, PathDoubts& result) const;

  CallClasses classes_;
  bool is_recorded_;       // System calls are, or when threads were scheduled.
  ThreadStretches waits_;  // In system calls that do nothing else.
  std::unordered_map<StringId, DurationNs> usual_;              // Own cost of a call, by name.
  ThreadSet launching_;                                         // Those that launch kernels.
  std::set<std::pair<std::uint32_t, StringId>> unsteady_naps_;  // By thread and call.
};

}  // namespace xsp
