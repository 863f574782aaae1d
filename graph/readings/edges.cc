#include "graph/readings/edges.h"

#include <algorithm>

namespace xsp {
namespace {

class Lister {
 public:
  Lister(const TaskGraph& graph, const Answers& answers) : graph_(graph), answers_(answers) {}

  void Run(const std::function<void(const Edge&)>& f) {
    auto pass_on = [&] {
      for (const Edge& edge : edges_) f(edge);
      edges_.clear();
    };
    for (TaskId task : graph_.host_tasks()) {
      IntoHost(task);
      pass_on();
    }
    for (TaskId op : graph_.ops()) {
      IntoOp(op);
      pass_on();
    }
  }

 private:
  DurationNs Least(ConstantId id) const {
    return std::min<DurationNs>(0, graph_.constants[id].p10);
  }

  void IntoHost(TaskId task) {
    const TaskId to = task;
    const Question& question = graph_.question[task];
    while (handoff_ < graph_.handoffs.size() && graph_.handoffs[handoff_].task == task) {
      const Handoff& handoff = graph_.handoffs[handoff_++];
      if (graph_.Ignores(Rule::kThreadHandoff)) continue;
      edges_.push_back({Rule::kThreadHandoff, handoff.from, to, true, false, handoff.lag, 0});
    }
    if (const TaskId previous = graph_.PreviousOf(task); previous.valid()) {
      edges_.push_back({Rule::kProgramOrder, previous, to, true, false, graph_.gap[task], 0});
    }
    if (const TaskId awaited = answers_.awaited[task]; awaited.valid() && IsWait(question.ask)) {
      const DurationNs work = question.before_work ? graph_.own[task] : 0;
      edges_.push_back({question.rule, awaited, to, true, true, graph_.lag(question) + work,
                        Least(question.latency)});
    }
    if (const DurationNs alone = WaitAlone(graph_, answers_, task); alone > 0) {
      edges_.push_back({question.rule, task, to, false, true, graph_.own[task] + alone, 0});
    }
    if (const TaskId blocker = answers_.queue[task]; blocker.valid()) {
      edges_.push_back({Rule::kLaunchQueue, blocker, to, true, true,
                        graph_.lag(graph_.queue_latency), Least(graph_.queue_latency)});
    }
  }

  // A call that waits for its own work has issued it before; any other has when it returns.
  void IssuedBy(TaskId call, TaskId to, DurationNs delay) {
    const Question& question = graph_.question[call];
    if (IsWait(question.ask) && !question.before_work) {
      edges_.push_back({Rule::kSubmit, call, to, false, false, graph_.own[call] + delay, 0});
    } else {
      // Some drivers start the work first and return then.
      edges_.push_back({Rule::kSubmit, call, to, true, false, delay, -graph_.measured(call)});
    }
  }

  void IntoChannel(TaskId op, const ChannelPlace& place) {
    if (const TaskId before = answers_.channel[graph_.RowOf(op)]; before.valid()) {
      edges_.push_back({Rule::kChannel, before, op, true, false, 0, 0});
    }
    if (place.after.valid() && !graph_.Ignores(Rule::kPrefetch)) {
      edges_.push_back({Rule::kPrefetch, place.after, op, false, false, 0, 0});
    }
  }

  void IntoOp(TaskId op) {
    const OpIndex row = graph_.RowOf(op);
    const TaskId to(op);
    if (graph_.submit[row] == Submit::kAfterOwnCost) {
      IssuedBy(graph_.call[row], to, graph_.lag(graph_.SubmitDelay(op)));
    }
    if (const TaskId before = answers_.stream[row]; before.valid()) {
      const bool overlaps = (graph_.flags[op] & kOverlaps) != 0;
      const ConstantId gap = graph_.GapBetween(before, op);
      // An overlapping kernel may begin with the one before.
      const DurationNs least = overlaps ? -graph_.measured(before) : 0;
      edges_.push_back({Rule::kStreamOrder, before, to, true, false, graph_.lag(gap), least});
    }
    if (const TaskId engine = answers_.engine[row]; engine.valid()) {
      edges_.push_back(
          {Rule::kCopyEngine, engine, to, true, false, graph_.lag(graph_.engine_gap), 0});
    }
    if (const TaskId stall = answers_.stall[row]; stall.valid()) {
      edges_.push_back(
          {Rule::kDeviceStall, stall, to, true, false, graph_.lag(graph_.mapping_stall), 0});
    }
    if (const ChannelPlace* place = graph_.PlaceOnChannel(op)) IntoChannel(op, *place);
    if (const TaskId other = answers_.other[row]; other.valid()) {
      const Rule rule = RuleBetweenStreams(graph_, op, other);
      edges_.push_back(
          {rule, other, to, true, false, graph_.lag(LatencyBetweenStreams(graph_, rule)), 0});
    }
    if (!graph_.HasPeers(op)) return;
    for (TaskId peer : graph_.collectives[graph_.collective[row]]) {
      if (peer == to) continue;
      edges_.push_back({Rule::kCollective, peer, to, false, true, graph_.own[op], 0});
    }
  }

  const TaskGraph& graph_;
  const Answers& answers_;
  std::vector<Edge> edges_;  // Into the task at hand.
  std::size_t handoff_ = 0;
};

}  // namespace

DurationNs WaitAlone(const TaskGraph& graph, const Answers& answers, TaskId task) {
  const GraphBatch* batch = graph.BatchOf(task);
  const bool is_alone = batch != nullptr && !answers.awaited[task].valid();
  return is_alone && !graph.Ignores(Rule::kLoader) ? batch->alone : 0;
}

Rule RuleBetweenStreams(const TaskGraph& graph, TaskId op, TaskId source) {
  const GraphStream& stream = graph.streams[graph.lane[op]];
  const GraphStream& other = graph.streams[graph.lane[source]];
  if (stream.context == other.context &&
      ((stream.is_null && other.is_blocking) || (other.is_null && stream.is_blocking))) {
    return Rule::kDefaultStream;
  }
  const bool same_launch = graph.CallOf(op) == graph.CallOf(source);
  return same_launch ? Rule::kStreamOrder : Rule::kEventWait;
}

ConstantId LatencyBetweenStreams(const TaskGraph& graph, Rule rule) {
  return rule == Rule::kDefaultStream ? graph.default_stream_latency : graph.event_latency;
}

void ForEachEdge(const TaskGraph& graph, const Answers& answers,
                 const std::function<void(const Edge&)>& f) {
  Lister(graph, answers).Run(f);
}

std::vector<Edge> ListEdges(const TaskGraph& graph, const Answers& answers) {
  std::vector<Edge> edges;
  edges.reserve(graph.host_count() + 2 * graph.op_count());
  ForEachEdge(graph, answers, [&](const Edge& edge) { edges.push_back(edge); });
  return edges;
}

}  // namespace xsp
