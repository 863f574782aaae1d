#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/rules/copy_engine.h"
#include "graph/rules/default_stream.h"
#include "graph/rules/launch_queue.h"
#include "graph/simulation/channel_queue.h"
#include "graph/simulation/scheduler.h"

namespace xsp {

// One run of the scheduler. Its parts: simulation_threads.cc (whose turn it is),
// simulation_calls.cc (what a call does), simulation_device.cc (what becomes of an operation),
// simulation_channels.cc (operations that queue for a channel).
//
// Whatever has a turn is taken by simulated time. What can be told the moment a call is made is
// told then, also of the future: an operation gets its begin and finish when it is issued, because
// all it hangs on was issued before. There are two exceptions. A collective ends when its last rank
// has come, and a channel picks when it is free. What hangs on one of these waits, and is told when
// the time is known.
class Simulation {
 public:
  enum class Kind : std::uint8_t { kFree, kGuided };  // kGuided: see SimulateGuided.

  Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers, Kind kind);
  Schedule Run();

 private:
  // Where a thread stands within its current call.
  enum class Stage : std::uint8_t { kBegin, kWaitFirst, kIssue, kWaitLast, kAtEnd };

  struct Thread {
    Stage stage = Stage::kBegin;
    TaskId next;                // Next host task of the graph.
    std::uint32_t handoff = 0;  // Next hand-off of this thread.
    std::uint32_t handoff_end = 0;
    TaskId current;   // The call being evaluated.
    TaskId previous;  // The last one that finished.
    SimTime free_at;  // When it finished.
    SimTime key;      // When the thread acts next.
    SimTime ready;    // When the current call has done its own work.
    Binding ready_by;
    std::vector<TaskId> awaited;  // Who answers the current call's question.
    TaskId stall;                 // A call that holds up what the thread issues next.
  };

  struct Stream {
    TaskId last;
    std::vector<TaskId> beside;  // Last like it: other branches of a CUDA graph.
    std::vector<TaskId> waits;   // What the next operation must wait for: stream waits.
    std::uint32_t seen_epoch = 0;
    bool is_listed = false;  // In Tails::streams of its context.
  };

  // What a wait for a whole context waits for, without a walk over all its streams, of which some
  // programs make thousands: of what was asked for before, only the last to finish counts.
  struct Tails {
    std::vector<std::uint32_t> streams;  // Those with operations since they were asked last.
    TaskId settled;                      // Of all others, the last to finish.
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

  // Who is to be told when a finish becomes known.
  struct Waiter {
    enum class Kind : std::uint8_t { kThread, kOp, kChannel } kind;
    std::uint32_t id;  // Thread, task or channel.
  };

  struct Arrivals {
    std::uint32_t count = 0;
    TaskId last;
    SimTime time;
    bool done = false;
  };

  // Times.
  SimTime BeginOf(TaskId task) const { return begin_at_[task.value]; }
  SimTime FinishOf(TaskId task) const { return finish_at_[task.value]; }
  bool Known(TaskId task) const { return FinishOf(task).known(); }
  void SetBegin(TaskId task, SimTime time, Binding by);
  void SetFinish(TaskId task, SimTime time, Binding by);

  // Whose turn it is: threads, and channels behind them.
  void PushTurn(SimTime time, std::uint32_t id);
  void TakeThread(std::uint32_t thread);
  void StartThreads();
  bool Prepare(std::uint32_t thread);
  bool PrepareHandoffs(std::uint32_t thread);
  void SkipHandoffs(Thread& thread) const;
  bool Advance(std::uint32_t thread);
  bool Suspend(std::uint32_t thread, TaskId on);
  void Drain();
  bool BreakDeadlock();

  // Calls.
  bool Begin(std::uint32_t thread);
  bool WaitFirst(std::uint32_t thread);
  bool Queue(std::uint32_t thread);
  void Issue(std::uint32_t thread);
  void MakeRecord(std::uint32_t record);
  void IssueOps(std::uint32_t thread);
  // Whether a task is a call that issues and does not wait for anything then: its finish is known
  // when it issues, and what it issues hangs on that.
  bool ReturnsAtOnce(TaskId task) const {
    return graph_.IsHost(task) && !graph_.OpsOf(task).empty() && !graph_.question[task].WaitsLast();
  }
  bool WaitLast(std::uint32_t thread);
  void End(std::uint32_t thread, SimTime finish, Binding by);
  void AskAll(Thread& thread, const Question& question);
  void AskProducer(Thread& thread, const GraphBatch& batch);
  void AskTimer(Thread& thread, std::uint32_t timer);
  const GraphTimer* BeatsOf(const Question& question) const;
  // How long the current call waits if nothing in the graph answers its question.
  DurationNs WaitAlone(TaskId call, const Question& question) const;
  // Who of those that a call waits for lets it go on last, and when; none: nobody.
  std::pair<TaskId, SimTime> LastToAnswer(const Thread& thread, const Question& question) const;
  bool FindUnknown(const std::vector<TaskId>& tasks, TaskId* unknown) const;
  TaskId Latest(const std::vector<TaskId>& tasks) const;
  void LastOn(std::uint32_t stream, std::vector<TaskId>& out) const;
  void LastOfStream(std::uint32_t stream, std::vector<TaskId>& out) const;
  void LastOfContext(std::uint32_t context, std::vector<TaskId>& out);
  bool Settle(std::uint32_t stream, TaskId& settled) const;

  // Operations.
  void IssueOp(TaskId op, SimTime submit, Binding submit_by);
  void NoteAnswers(TaskId op, const std::vector<Dependency>& dependencies);
  void CollectDependencies(TaskId op, std::uint32_t stream);
  void CollectNodeOrder(TaskId op);
  void NoteBranches(TaskRange nodes);
  void AddDependency(TaskId from, Rule rule, ConstantId lag);
  void TryOp(TaskId op, SimTime submit, Binding submit_by, std::vector<Dependency>& dependencies);
  void PlaceOp(TaskId op, SimTime begin, Binding by);
  void TakeEngine(TaskId op, std::uint16_t engine, SimTime& begin, Binding& by);
  void Arrive(TaskId op, std::uint32_t collective);
  void Complete(std::uint32_t collective);

  // Channels.
  const ChannelPlace* PlaceOnChannel(TaskId op) const;
  void StartChannels();
  void GuideByChannel(TaskId op, SimTime& begin, Binding& by);
  void Offer(TaskId op, const ChannelPlace& place, SimTime ready, Binding by);
  void Release(TaskId begun);
  void Wake(std::uint32_t channel);
  void TakeChannel(std::uint32_t channel, SimTime now);

  // The graph with its overlay.
  bool Ignores(Rule rule) const { return (ignored_rules_ >> IndexOf(rule)) & 1u; }
  DurationNs Own(TaskId task) const { return own_[task.value]; }
  DurationNs Gap(TaskId host) const { return gap_[host.value]; }
  DurationNs LagOf(const Question& question) const {
    const bool is_other = question.ask == Ask::kBatch && interval_ != nullptr;
    return is_other ? interval_[question.target] : graph_.lag(question);
  }
  DurationNs Wait(TaskId host) const { return wait_ == nullptr ? 0 : wait_[host.value]; }
  Question QuestionOf(TaskId host) const {
    const Question& question = graph_.question[host];
    return Ignores(question.rule) ? Question() : question;
  }
  std::uint32_t StreamOf(TaskId op) const { return graph_.lane[op]; }
  LaunchQueue& QueueOf(TaskId op) {
    const std::uint32_t stream = StreamOf(op);
    const bool by_stream = graph_.queue_kind == QueueKind::kStream;
    return queues_[by_stream ? stream : graph_.streams[stream].context];
  }
  OpClass ClassOf(TaskId op) const { return graph_.op_class[graph_.RowOf(op)]; }

  const TaskGraph& graph_;
  const std::uint32_t ignored_rules_;
  const DurationNs* const own_;
  const DurationNs* const gap_;
  const DurationNs* const wait_;      // Or null: no such waits.
  const DurationNs* const interval_;  // Or null: as the graph has them.
  const bool slow_producers_;
  const bool late_ones_wait_;
  const bool is_guided_;
  Answers* answers_;
  Schedule result_;
  // Where points stand for whoever asks: in `result_`, or where they were measured.
  const SimTime* begin_at_;
  const SimTime* finish_at_;
  std::vector<SimTime> measured_begin_, measured_end_;  // Of a guided run.

  std::vector<Thread> threads_;
  std::vector<std::pair<SimTime, std::uint32_t>> turns_;  // A heap, the earliest first.
  std::vector<Stream> streams_;
  std::vector<Tails> tails_;                  // Per context.
  std::vector<LaunchQueue> queues_;           // Per context, or per stream.
  std::vector<DefaultStreamOrder> defaults_;  // Per context.
  std::vector<CopyEngine> engines_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> records_;  // Per record: part of the pool.
  std::vector<TaskId> record_pool_;
  std::vector<TaskId> lock_last_;  // Per context: the launch that came last to the driver's lock.
  std::vector<Arrivals> arrivals_;
  std::vector<std::vector<TaskId>> taken_;  // Per producer: loads so far.
  std::vector<TaskId> first_tick_;          // Per timer: the first task that waited for it.
  std::vector<ChannelQueue> channels_;
  std::vector<TaskId> channel_before_;  // Guided: per place on a channel, who was there before.
  std::unordered_map<TaskId, std::vector<std::uint32_t>> held_;  // By task: channels.
  std::unordered_map<TaskId, std::vector<Waiter>> waiters_;      // By task.
  std::unordered_map<TaskId, Deferred> deferred_;                // By operation.
  std::vector<TaskId> resolved_;                 // Known now; their waiters have not been told yet.
  std::vector<Dependency> dependencies_;         // Of the operation being issued.
  TaskId stall_;                                 // What holds up the operation being issued.
  TaskId launch_head_;                           // The first node of the CUDA graph being issued,
  std::vector<Dependency> launch_dependencies_;  // and what it waits for.
};

// Small, and called for every task.

inline void Simulation::SetBegin(TaskId task, SimTime time, Binding by) {
  result_.begin[task] = time;
  result_.begin_by[task] = by;
  if (answers_ != nullptr) answers_->order.push_back(Point::BeginOf(task));
  if (!held_.empty()) Release(task);
}

inline void Simulation::SetFinish(TaskId task, SimTime time, Binding by) {
  result_.finish[task] = time;
  result_.finish_by[task] = by;
  if (answers_ != nullptr && !ReturnsAtOnce(task)) {
    answers_->order.push_back(Point::FinishOf(task));
  }
  if (!waiters_.empty() && waiters_.count(task) > 0) resolved_.push_back(task);
}

}  // namespace xsp
