#pragma once

#include <cstdint>
#include <optional>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Walks back in time from a point of a task, along the edges that bound each point. The one walk
// behind critical paths (of simulated times) and causes of idle time (of measured ones); what a
// piece of the way is called is theirs to say.
class BackWalk {
 public:
  enum class Times : std::uint8_t { kSimulated, kMeasured };

  // A piece of the way: from where the walk stood back to `begin`.
  struct Piece {
    Rule rule = Rule::kNone;  // The wait; kOwnTime where the task was at work.
    TaskId task;              // Who waited, or worked.
    TaskId source;            // For whom; of a collective's run the last rank to come.
    SimTime begin;
  };

  // kMeasured: `schedule` comes from SimulateGuided.
  BackWalk(const TaskGraph& graph, const Schedule& schedule, Times times)
      : graph_(graph), schedule_(schedule), times_(times) {}

  void StandAtBegin(TaskId task) { Stand(task, At::kBegin); }
  void StandAtFinish(TaskId task) { Stand(task, At::kFinish); }
  // The host task at whose finish the walk stands; none if it stands elsewhere.
  TaskId HostAtFinish() const {
    return at_ == At::kFinish && graph_.IsHost(task_) ? task_ : TaskId();
  }

  // Goes one piece further back; none where nothing leads to the point that was recorded.
  std::optional<Piece> Next();

  // Whether a piece is a device operation's run.
  bool IsRun(const Piece& piece) const {
    return !graph_.IsHost(piece.task) &&
           (piece.rule == Rule::kOwnTime || piece.rule == Rule::kCollective);
  }

 private:
  enum class At : std::uint8_t { kBegin, kWorked, kFinish };  // kWorked: its own work is done.

  void Stand(TaskId task, At at) {
    task_ = task;
    at_ = at;
  }
  SimTime BeginOf(TaskId task) const;
  SimTime FinishOf(TaskId task) const;
  Piece ToFinish(Binding by);
  Piece ToBegin(TaskId of, Binding by);
  std::optional<Piece> FromOpBegin();

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Times times_;
  TaskId task_;
  At at_ = At::kBegin;
};

}  // namespace xsp
