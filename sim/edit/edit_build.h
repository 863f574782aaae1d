#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/edit/edit.h"

namespace xsp {

// Makes the graph that an edit describes. Tasks are called by the numbers that the edit gives them;
// `place_` says where they went. Takes time linear in the tasks.
class EditBuild {
 public:
  explicit EditBuild(const GraphEdit& edit);

  TaskGraph Run();
  PerTask<TaskId> TakePlaces() { return std::move(place_); }

 private:
  // A hand-off whose task has not been met yet: its own one may have been removed.
  struct PendingHandoff {
    TaskId task;  // Of the old graph: which it was for.
    TaskId from;
    DurationNs lag;
    DurationNs carried;  // Untraced time since the task before, up to the task it was for.
    Rule rule;
  };
  // Who stands in for a host task that was removed: the one before it, and how much later it was.
  struct StandIn {
    TaskId removed;
    TaskId before;  // In the new graph.
    DurationNs later;
  };

  // What is new, and where it stands in the measured time.
  struct Added {
    TaskId number;
    TimeNs measured;
  };

  // Host tasks, thread by thread (edit_build.cc).
  void Hosts();
  void OldThread(std::uint32_t thread);
  void NewThread(const GraphEdit::NewThread& thread, std::uint32_t row);
  void Appended(std::uint32_t thread);
  void Visit(TaskId task);
  void VisitAround(TaskId task);
  void Reach(TaskId task);
  void Settle(TaskId task);
  void PlaceHost(TaskId task);
  void EndThread(GraphThread thread);

  // Operations, call by call (edit_ops.cc).
  void Ops();
  void CollectIssued();
  void OpsOf(TaskId call);
  void PlaceOp(TaskId op, TaskId call);

  // Columns (edit_columns.cc).
  void Columns();
  void Frame();
  LabelId Label(const std::string& text);
  void Costs();
  void AddedTask(const Added& added, DurationNs own, TaskKind kind, const std::string& label);
  void AddedHost(const Added& added);
  void AddedOp(const Added& added);
  void MovedOps();

  // What joins tasks (edit_links.cc).
  void Handoffs();
  void AddHandoff(TaskId task, const GraphEdit::NewHandoff& handoff);
  void NodeOrders();
  void GraphLaunches();
  void Collectives();
  void Channels();

  std::uint32_t OldCount() const { return edit_.old_count(); }
  bool IsOld(TaskId task) const { return edit_.IsOld(task); }

  const GraphEdit& edit_;
  const TaskGraph& old_;
  TaskGraph graph_;
  PerTask<TaskId> place_;   // By the edit's number: where it is now, or none.
  PerTask<TaskId> source_;  // By new number: the edit's number.
  std::map<std::string, LabelId, std::less<>> label_of_;

  std::vector<Added> added_;
  PerTask<DurationNs> gap_;  // By new host task.

  // While host tasks are placed.
  std::vector<TaskId> anchors_;  // Tasks of the old graph that something is put around, in order.
  std::size_t next_anchor_ = 0;
  std::size_t next_handoff_ = 0;
  TaskId thread_first_;  // First task of the current thread.
  TimeNs thread_start_ = 0;
  TimeNs now_ = 0;          // Measured time at the place that has been reached.
  DurationNs carried_ = 0;  // Untraced time since the last task that was placed.
  std::vector<PendingHandoff> pending_;
  std::vector<StandIn> stand_ins_;           // By `removed`.
  std::vector<GraphEdit::NewHandoff> kept_;  // Task: new number; from: the edit's.

  // While operations are placed.
  std::vector<std::pair<TaskId, TaskId>> issued_;  // (call in the new graph, op), by call.
  std::size_t next_issued_ = 0;
  TimeNs last_op_end_ = 0;  // Measured end of the last operation that this thread issued.
};

}  // namespace xsp
