#include "graph/readings/edges.h"

#include <algorithm>

namespace xsp {
namespace {

// What passes in a host task behind its own work, whatever others do.
DurationNs FixedWait(const TaskGraph& graph, TaskId host) {
  return graph.wait.empty() ? 0 : graph.wait[host];
}

// How long a task waits for what nothing in the graph leads to; 0 for all others.
DurationNs WaitAlone(const TaskGraph& graph, const Answers& answers, TaskId task) {
  if (answers.awaited[task].valid() || graph.Ignores(graph.question[task].rule)) return 0;
  const GraphBatch* batch = graph.BatchOf(task);
  return batch != nullptr ? batch->alone : graph.WaitAlone(task);
}

// The edges into one task.
class Lister {
 public:
  Lister(const TaskGraph& graph, const Answers& answers, TaskId task, std::vector<Edge>& edges)
      : graph_(graph), answers_(answers), task_(task), edges_(edges) {}

  void IntoHost() {
    const Question& question = graph_.question[task_];
    const bool is_wait = question.ask == Ask::kThread;
    for (const Handoff& handoff : graph_.HandoffsTo(task_)) {
      if (graph_.Ignores(handoff.rule)) continue;
      edges_.push_back({handoff.rule, handoff.from, task_, true, is_wait, handoff.lag});
    }
    if (const TaskId previous = graph_.PreviousOf(task_); previous.valid()) {
      edges_.push_back({Rule::kProgramOrder, previous, task_, true, false, graph_.gap[task_]});
    }
    const DurationNs fixed = FixedWait(graph_, task_);
    if (const TaskId awaited = answers_.awaited[task_]; awaited.valid() && !is_wait) {
      const DurationNs work = question.before_work ? graph_.own[task_] + fixed : 0;
      const auto look = answers_.lag_of_looks.find(task_);
      const DurationNs lag =
          look == answers_.lag_of_looks.end() ? graph_.lag(question, awaited) : look->second;
      edges_.push_back({question.rule, awaited, task_, true, true, lag + work,
                        Least(question.latency), question.latency});
    }
    if (const DurationNs alone = WaitAlone(graph_, answers_, task_); alone > 0) {
      edges_.push_back({question.rule, task_, task_, false, true, WorkOf(graph_, task_) + alone});
    }
    if (const TaskId blocker = answers_.queue[task_]; blocker.valid()) {
      IntoQueue(blocker, true, fixed);
    }
  }

  void IntoOp() {
    const OpIndex row = graph_.RowOf(task_);
    if (graph_.submit[row] == Submit::kAfterOwnCost) IssuedBy(graph_.call[row]);
    if (const TaskId before = answers_.stream[row]; before.valid()) {
      // An overlapping kernel may begin with the one before.
      const bool overlaps = (graph_.flags[task_] & kOverlaps) != 0;
      FromFinish(Rule::kStreamOrder, before, graph_.GapBetween(before, task_));
      edges_.back().lag = graph_.LagBehind(before, task_);
      edges_.back().least_lag = overlaps ? -graph_.measured(before) : 0;
    }
    FromFinish(Rule::kCopyEngine, answers_.engine[row], graph_.engine_gap);
    FromFinish(Rule::kDeviceStall, answers_.stall[row], graph_.mapping_stall);
    if (const ChannelPlace* place = graph_.PlaceOnChannel(task_)) {
      FromFinish(Rule::kChannel, answers_.channel[row], 0);
      if (place->after.valid() && !graph_.Ignores(Rule::kPrefetch)) {
        edges_.push_back({Rule::kPrefetch, place->after, task_, false, false});
      }
    }
    const Rule between = answers_.other_rule[row];
    FromFinish(
        between, answers_.other[row],
        between == Rule::kDefaultStream ? graph_.default_stream_latency : graph_.event_latency);
    if (!graph_.HasPeers(task_)) return;
    const DurationNs transfer = WorkOf(graph_, task_);
    for (TaskId peer : graph_.collectives[graph_.collective[row]]) {
      if (peer == task_) continue;
      edges_.push_back({Rule::kCollective, peer, task_, false, true, transfer});
    }
  }

 private:
  DurationNs Least(ConstantId id) const {
    return std::min<DurationNs>(0, graph_.constants[id].p10);
  }

  void FromFinish(Rule rule, TaskId from, ConstantId latency) {
    if (!from.valid()) return;
    edges_.push_back({rule, from, task_, true, false, graph_.lag(latency), 0, latency});
  }

  // A place in the launch queue, and what passes between that and the point.
  void IntoQueue(TaskId blocker, bool to_finish, DurationNs then) {
    const ConstantId latency = graph_.queue_latency;
    edges_.push_back({Rule::kLaunchQueue, blocker, task_, true, to_finish,
                      graph_.lag(latency) + then, Least(latency), latency});
  }

  // A call that goes on waiting has issued its work before, when it had a place in the queue; any
  // other has when it returns.
  void IssuedBy(TaskId call) {
    const ConstantId delay = graph_.SubmitDelay(task_);
    const DurationNs lag = graph_.lag(delay);
    if (!graph_.question[call].WaitsLast()) {
      // Some drivers start the work first and return then.
      edges_.push_back(
          {Rule::kSubmit, call, task_, true, false, lag, -graph_.measured(call), delay});
      return;
    }
    edges_.push_back({Rule::kSubmit, call, task_, false, false, graph_.own[call] + lag, 0, delay});
    if (const TaskId blocker = answers_.queue[call]; blocker.valid()) {
      IntoQueue(blocker, false, lag);
    }
  }

  const TaskGraph& graph_;
  const Answers& answers_;
  const TaskId task_;
  std::vector<Edge>& edges_;
};

}  // namespace

void EdgesInto(const TaskGraph& graph, const Answers& answers, TaskId task,
               std::vector<Edge>& edges) {
  edges.clear();
  Lister lister(graph, answers, task, edges);
  graph.IsHost(task) ? lister.IntoHost() : lister.IntoOp();
}

void ForEachEdge(const TaskGraph& graph, const Answers& answers,
                 const std::function<void(const Edge&)>& f) {
  std::vector<Edge> edges;
  for (TaskId task : graph.tasks()) {
    EdgesInto(graph, answers, task, edges);
    for (const Edge& edge : edges) f(edge);
  }
}

DurationNs WorkOf(const TaskGraph& graph, TaskId task) {
  if (graph.IsHost(task)) return graph.own[task] + FixedWait(graph, task);
  if (!graph.HasPeers(task)) return graph.own[task];
  // The data moves at the pace of the slowest link.
  DurationNs transfer = 0;
  for (TaskId rank : graph.collectives[graph.collective[graph.RowOf(task)]]) {
    transfer = std::max(transfer, graph.own[rank]);
  }
  return transfer;
}

}  // namespace xsp
