#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Host work that an edit puts in: a call, or loading data.
struct NewCall {
  std::string label;   // Its name: "cudaLaunchKernel".
  DurationNs own = 0;  // Its own cost.
  DurationNs gap = 0;  // Untraced host time before it.
  Question question;   // What it waits for, or what it does to streams: see GraphEdit::Wait…
  TaskKind kind = TaskKind::kCall;  // Or kLoad.
};

// A device operation that an edit puts in.
struct NewOp {
  std::string label;  // Its name: "cast_to_bf16". Tells the class of a kernel, too.
  DurationNs duration = 0;
  std::uint32_t stream = 0;
  OpClass op_class = OpClass::kKernel;  // kHtoD and kDtoH queue on the copy engines of the device.
};

// A graph after an edit. Where only costs changed, it still is the graph that was edited, with an
// overlay on it; else a new one, and the overlay is empty. Must not outlive the edited graph.
class EditedGraph {
 public:
  const TaskGraph& graph() const { return is_new_ ? *new_ : *old_; }
  const Overlay& overlay() const { return overlay_; }

  Schedule Simulate(Answers* answers = nullptr) const {
    return xsp::Simulate(graph(), overlay_, answers);
  }
  // One graph that says it all, for whoever takes graphs: critical path, idle causes, slack,
  // explanations, timelines.
  TaskGraph Whole() const;

  // Where a task of the edited graph, or one that the edit put in, is now; none: it was removed.
  TaskId PlaceOf(TaskId task) const { return is_new_ ? place_[task] : task; }

 private:
  friend class GraphEdit;
  const TaskGraph* old_ = nullptr;
  bool is_new_ = false;
  std::shared_ptr<const TaskGraph> new_;
  Overlay overlay_;
  PerTask<TaskId> place_;
};

// Collects changes to a graph, then builds what comes of them. Everything is about tasks, by their
// numbers in the graph; what is put in has a number, too, behind those of the graph, which all
// functions here take. Streams, threads, records and contexts are rows, new ones behind the others.
//
// What is removed is gone: nothing waits for it, it has no place in queues and collectives, and
// what came after it on its thread follows what came before it. What is put in behaves as if it had
// been recorded, and belongs to the same layer, range and part of the time as the call that it
// follows.
class GraphEdit {
 public:
  // The graph must live as long as the edit and what it builds.
  explicit GraphEdit(const TaskGraph& graph) : graph_(graph), constants_(graph.constants) {}

  const TaskGraph& graph() const { return graph_; }
  bool IsHost(TaskId task) const;
  bool IsRemoved(TaskId task) const;
  TaskId CallOf(TaskId op) const;  // The call that issues it.

  // --- Costs: an overlay. As they are by now, and as they shall be.
  DurationNs Own(TaskId task) const;
  DurationNs Gap(TaskId host) const;
  void SetOwn(TaskId task, DurationNs own);
  void SetGap(TaskId host, DurationNs gap);
  // For a load that waits for its batch, or may wait for it: from the load that its producer is
  // busy since to when the batch is there; 0 for others.
  DurationNs Interval(TaskId load) const;
  void SetInterval(TaskId load, DurationNs interval);
  // --- Latencies: of all edges that have it. `latency` is one of the graph's constants.
  void Retime(ConstantId latency, DurationNs value);
  // What passes on a stream between an operation of one class and the next, of another.
  void RetimeStreams(OpClass from, OpClass to, DurationNs gap);
  // What the rule says is not waited for.
  void Ignore(Rule rule) { overlay_.ignored_rules |= 1u << IndexOf(rule); }

  // --- Removing. A call goes with all that it issues; the untraced host time before it stays.
  void RemoveCall(TaskId call);
  // The operation goes, the call that issues it stays.
  void RemoveWork(TaskId op);

  // --- Putting in. Directly behind a host task, before the untraced time that follows it, and
  // behind what has been put there before.
  TaskId InsertAfter(TaskId host, NewCall call);
  // Directly before a host task, behind the untraced time that leads to it, and behind what has
  // been put there before.
  TaskId InsertBefore(TaskId host, NewCall call);
  // At the end of a thread, behind what has been put there before.
  TaskId Append(std::uint32_t thread, NewCall call);
  // One more operation of a call, behind those that it issues already.
  TaskId Issue(TaskId call, NewOp op);

  // --- Changing what is there.
  void MoveToStream(TaskId op, std::uint32_t stream);
  // Another call issues the operation, behind those that it issues already.
  void MoveToCall(TaskId op, TaskId call);
  // The operations of a call, as they are by now, become nodes of one CUDA graph: one command in
  // the queue, each node behind the one before it of the same stream.
  void MakeGraphLaunch(TaskId call);
  void SetQuestion(TaskId call, Question question);
  void MakeAsync(TaskId call) { SetQuestion(call, {}); }
  Question QuestionOf(TaskId host) const;

  // --- Streams, events, threads.
  // A stream in the context and on the device of another one.
  std::uint32_t AddStream(std::uint32_t like, std::string label, bool is_blocking = false);
  // A thread whose first task begins at a time, unless a hand-off says otherwise.
  std::uint32_t AddThread(ProcessId process, std::string label, TimeNs start);
  // `task` begins no sooner than `lag` after `from`, a host task of another thread, has finished.
  void AddHandoff(TaskId task, TaskId from, DurationNs lag);
  // The operations wait for the last of them to begin and then take as long as the longest of them.
  // Those that were in a collective leave it.
  void AddCollective(std::vector<TaskId> ops);

  // --- Channels: operations that are done one at a time, whatever their streams.
  std::uint32_t AddChannel(std::string label);
  // Of what is ready, the channel takes the highest priority, then what was ready first. A channel
  // on which all priorities are the same takes what comes first.
  void JoinChannel(TaskId op, std::uint32_t channel, std::int32_t priority = 0);
  // The operations join the channel in this order, each for the sake of one that uses it, and run
  // ahead of use by no more than `distance`, at least 1: each begins no sooner than the user of the
  // one `distance` places before it does.
  struct Fetch {
    TaskId op;
    TaskId user;
  };
  void Prefetch(std::uint32_t channel, const std::vector<Fetch>& fetches, std::uint32_t distance);

  // --- Questions, for NewCall::question and SetQuestion.
  // The host waits. The way back to the host takes as long as such calls take in this trace.
  Question WaitForStream(std::uint32_t stream);
  Question WaitForContext(std::uint32_t context);
  // A place for an event: what was issued on a stream when a call that asks MakeRecord was made.
  std::uint32_t AddRecord(std::uint32_t stream);
  static Question MakeRecord(std::uint32_t record);
  // The next operation of the stream, and all behind it, wait for what the record noted.
  Question StreamWaitFor(std::uint32_t stream, std::uint32_t record);

  EditedGraph Build() const;

 private:
  friend class EditBuild;

  struct NewTask {
    bool is_host = false;
    NewCall call;  // Of host tasks;
    NewOp op;      // of operations.
  };
  // What is put around a host task.
  struct Around {
    std::vector<TaskId> before, after;
  };
  struct NewStream {
    GraphStream stream;
    std::string label;
  };
  struct NewThread {
    ProcessId process;
    std::string label;
    TimeNs start;
  };
  struct NewHandoff {
    TaskId task, from;
    DurationNs lag;
    Rule rule = Rule::kThreadHandoff;
  };
  enum Fate : std::uint8_t { kStays = 0, kRemoved, kMoved };

  std::uint32_t old_count() const { return graph_.task_count(); }
  bool IsOld(TaskId task) const { return task.value < old_count(); }
  const NewTask& New(TaskId task) const { return new_tasks_[task.value - old_count()]; }
  TaskId AddTask(NewTask task);
  void SetFate(TaskId task, Fate fate);
  Fate FateOf(TaskId task) const;
  const GraphStream& StreamAt(std::uint32_t stream) const;
  ConstantId TailOf(Ask ask);

  const TaskGraph& graph_;
  Overlay overlay_;
  bool is_structural_ = false;

  std::vector<Fate> fates_;  // Per task, the new ones too; shorter: the others stay.
  std::vector<NewTask> new_tasks_;
  std::unordered_map<TaskId, Around> around_;
  std::vector<std::vector<TaskId>> appended_;  // Per thread; shorter: nothing.
  std::vector<TaskId> issued_;  // Operations, new or moved, in the order of coming to their calls.
  std::unordered_map<TaskId, TaskId> call_of_;  // Their calls.
  std::unordered_map<TaskId, std::uint32_t> stream_of_;
  std::unordered_map<TaskId, Question> questions_;
  std::vector<TaskId> graph_launches_;
  std::vector<NewStream> streams_;
  std::vector<NewThread> threads_;
  std::vector<NewHandoff> handoffs_;
  std::vector<std::vector<TaskId>> collectives_;
  std::vector<std::string> channels_;
  std::vector<std::pair<TaskId, ChannelPlace>> on_channel_;
  std::vector<std::uint32_t> record_streams_;
  std::vector<StreamWait> stream_waits_;
  ConstantTable constants_;
  struct StreamGap {
    OpClass from, to;
    ConstantId gap;
  };
  std::unordered_map<ConstantId, DurationNs> latencies_;  // Those that were retimed.
  std::vector<StreamGap> stream_gaps_;
  std::array<ConstantId, kAskCount> tails_{};  // Per Ask; 0: not looked for yet.
};

}  // namespace xsp
