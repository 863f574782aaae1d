#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/copy_engine.h"
#include "graph/default_stream.h"
#include "graph/launch_queue.h"
#include "graph/scheduler.h"

namespace xsp {

// One run of the scheduler. kGuided: see SimulateGuided.
template <bool kGuided>
class Simulation {
 public:
  Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers);
  Schedule Run();

 private:
  // Where a thread stands within its current call.
  enum class Stage : std::uint8_t { kBegin, kWaitFirst, kIssue, kWaitLast, kAtEnd };

  struct Thread {
    Stage stage = Stage::kBegin;
    std::uint32_t next = 0;    // Next host task of the graph.
    std::uint32_t splice = 0;  // Next splice of this thread.
    std::uint32_t splice_end = 0;
    std::uint32_t handoff = 0;  // Next hand-off of this thread.
    std::uint32_t handoff_end = 0;
    TaskId current;   // The call being evaluated; a splice has an id behind the graph's.
    TaskId previous;  // The last one that finished.
    SimTime free_at;  // When it finished.
    SimTime key;      // When the thread acts next.
    SimTime ready;    // When the current call has done its own work.
    Binding ready_by;
    std::vector<TaskId> awaited;  // Who answers the current call's question.
  };

  struct Stream {
    TaskId last;
    std::vector<TaskId> beside;  // Last like it: other branches of a CUDA graph.
    std::vector<TaskId> waits;   // What the next operation must wait for: stream waits.
    std::uint32_t seen_epoch = 0;
  };

  struct Dependency {
    TaskId from;
    Rule rule;
    DurationNs lag;
  };

  // An operation that hangs on one whose finish is not known yet.
  struct Deferred {
    SimTime submit;
    Binding submit_by;
    std::vector<Dependency> dependencies;
  };

  struct Waiter {
    bool is_thread;
    std::uint32_t id;  // Thread or task.
  };

  struct Arrivals {
    std::uint32_t count = 0;
    TaskId last;
    SimTime time;
    bool done = false;
  };

  // Times.
  SimTime BeginOf(TaskId task) const;
  SimTime FinishOf(TaskId task) const;
  bool Known(TaskId task) const { return kGuided || FinishOf(task).known(); }
  void SetBegin(TaskId task, SimTime time, Binding by);
  void SetFinish(TaskId task, SimTime time, Binding by);

  // Host.
  void StartThreads();
  bool Prepare(std::uint32_t thread);
  bool PrepareHandoffs(std::uint32_t thread);
  bool Advance(std::uint32_t thread);
  bool Begin(std::uint32_t thread);
  bool WaitFirst(std::uint32_t thread);
  bool Queue(std::uint32_t thread);
  void Issue(std::uint32_t thread);
  bool WaitLast(std::uint32_t thread);
  void End(std::uint32_t thread, SimTime finish, Binding by);
  void AskAll(Thread& thread, const Question& question);
  bool Suspend(std::uint32_t thread, TaskId on);
  bool FindUnknown(const std::vector<TaskId>& tasks, TaskId* unknown) const;
  TaskId Latest(const std::vector<TaskId>& tasks) const;

  // Device.
  void IssueOp(TaskId op, SimTime submit, Binding submit_by);
  void CollectDependencies(TaskId op, std::uint32_t stream);
  void CollectNodeOrders(TaskId op);
  void NoteBranches(TaskId head, TaskId last);
  void AddDependency(TaskId from, Rule rule, ConstantId lag);
  ConstantId GapBetween(TaskId from, TaskId to) const;
  void TryOp(TaskId op, SimTime submit, Binding submit_by, std::vector<Dependency>& dependencies);
  void PlaceOp(TaskId op, SimTime begin, Binding by);
  void Arrive(TaskId op, std::uint32_t collective);
  void Complete(std::uint32_t collective);
  void LastOn(std::uint32_t stream, std::vector<TaskId>& out) const;
  void LastOfStream(std::uint32_t stream, std::vector<TaskId>& out) const;
  void Drain();
  bool BreakDeadlock();

  // The graph with its overlay.
  bool Ignores(Rule rule) const { return (ignored_rules_ >> IndexOf(rule)) & 1u; }
  bool IsSplice(TaskId task) const { return task.value >= graph_.task_count(); }
  const Splice& SpliceOf(TaskId task) const {
    return overlay_.splices[(task.value - graph_.task_count()) / 2];
  }
  bool Removed(TaskId task) const {
    return !overlay_.removed.empty() && !IsSplice(task) && overlay_.removed[task.value] != 0;
  }
  DurationNs Own(TaskId task) const;
  DurationNs Gap(std::uint32_t host) const {
    return overlay_.gap.empty() ? graph_.gap[host] : overlay_.gap[host];
  }
  DurationNs Wait(std::uint32_t host) const {
    if (!overlay_.wait.empty()) return overlay_.wait[host];
    return graph_.wait.empty() ? 0 : graph_.wait[host];
  }
  Question QuestionOf(TaskId task) const;
  std::pair<std::uint32_t, std::uint32_t> OpsOf(TaskId call) const;
  std::uint32_t StreamOf(TaskId op) const;
  OpClass ClassOf(TaskId op) const;

  const TaskGraph& graph_;
  const Overlay& overlay_;
  const std::uint32_t ignored_rules_;
  Answers* answers_;
  Schedule result_;

  std::vector<Thread> threads_;
  std::vector<std::pair<SimTime, std::uint32_t>> heap_;  // Ready threads.
  std::vector<Stream> streams_;
  std::vector<LaunchQueue> queues_;           // Per context.
  std::vector<DefaultStreamOrder> defaults_;  // Per context.
  std::vector<CopyEngine> engines_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> records_;  // Per record: part of the pool.
  std::vector<TaskId> record_pool_;
  std::vector<Arrivals> arrivals_;
  std::unordered_map<std::uint32_t, std::vector<Waiter>> waiters_;  // By task.
  std::unordered_map<std::uint32_t, Deferred> deferred_;            // By operation.
  std::vector<TaskId> resolved_;                 // Known now; their waiters have not been told yet.
  std::vector<Dependency> dependencies_;         // Of the operation being issued.
  TaskId launch_head_;                           // The first node of the CUDA graph being issued,
  std::vector<Dependency> launch_dependencies_;  // and what it waits for.
};

// Small, and called for every task: inline in both halves of a simulation.

template <bool kGuided>
SimTime Simulation<kGuided>::BeginOf(TaskId task) const {
  if constexpr (kGuided) return SimTime::At(graph_.measured_begin[task.value]);
  return result_.begin[task.value];
}

template <bool kGuided>
SimTime Simulation<kGuided>::FinishOf(TaskId task) const {
  if constexpr (kGuided) return SimTime::At(graph_.measured_end[task.value]);
  return result_.finish[task.value];
}

template <bool kGuided>
void Simulation<kGuided>::SetBegin(TaskId task, SimTime time, Binding by) {
  result_.begin[task.value] = time;
  result_.begin_by[task.value] = by;
  if (answers_ != nullptr) answers_->order.push_back(2 * task.value);
}

template <bool kGuided>
void Simulation<kGuided>::SetFinish(TaskId task, SimTime time, Binding by) {
  result_.finish[task.value] = time;
  result_.finish_by[task.value] = by;
  if (answers_ != nullptr) answers_->order.push_back(2 * task.value + 1);
  if (!waiters_.empty() && waiters_.count(task.value) > 0) resolved_.push_back(task);
}

template <bool kGuided>
DurationNs Simulation<kGuided>::Own(TaskId task) const {
  if (IsSplice(task)) {
    const bool is_call = (task.value - graph_.task_count()) % 2 == 0;
    return is_call ? SpliceOf(task).own : SpliceOf(task).duration;
  }
  return overlay_.own.empty() ? graph_.own[task.value] : overlay_.own[task.value];
}

template <bool kGuided>
Question Simulation<kGuided>::QuestionOf(TaskId task) const {
  const Question& question = IsSplice(task)              ? SpliceOf(task).question
                             : overlay_.question.empty() ? graph_.question[task.value]
                                                         : overlay_.question[task.value];
  return Ignores(question.rule) ? Question() : question;
}

template <bool kGuided>
std::pair<std::uint32_t, std::uint32_t> Simulation<kGuided>::OpsOf(TaskId call) const {
  if (IsSplice(call)) return {call.value + 1, call.value + 1 + (SpliceOf(call).has_op ? 1 : 0)};
  return {graph_.first_op[call.value], graph_.first_op[call.value + 1]};
}

template <bool kGuided>
std::uint32_t Simulation<kGuided>::StreamOf(TaskId op) const {
  if (IsSplice(op)) return SpliceOf(op).stream;
  return overlay_.lane.empty() ? graph_.lane[op.value] : overlay_.lane[op.value];
}

template <bool kGuided>
OpClass Simulation<kGuided>::ClassOf(TaskId op) const {
  return IsSplice(op) ? SpliceOf(op).op_class : graph_.op_class[graph_.OpIndex(op.value)];
}

}  // namespace xsp
