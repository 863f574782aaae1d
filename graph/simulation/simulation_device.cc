#include <algorithm>

#include "graph/simulation/simulation.h"

// The device's half of a simulation: what an operation waits for, and when it runs.
namespace xsp {

void Simulation::IssueOp(TaskId op, SimTime submit, Binding submit_by) {
  const std::uint32_t stream = StreamOf(op);
  CollectDependencies(op, stream);
  AddDependency(stall_, Rule::kDeviceStall, graph_.mapping_stall);
  streams_[stream].last = op;
  streams_[stream].beside.clear();
  // From here on this operation is the tail of its stream, for whoever asks: a sync, a record, the
  // default stream.
  const GraphStream& lane = graph_.streams[stream];
  if (!streams_[stream].is_listed) {
    streams_[stream].is_listed = true;
    tails_[lane.context].streams.push_back(stream);
  }
  if (lane.is_null) {
    defaults_[lane.context].NoteDefault(op);
  } else if (lane.is_blocking) {
    defaults_[lane.context].NoteBlocking(stream, streams_[stream].seen_epoch);
  }
  TryOp(op, submit, submit_by, dependencies_);
}

// Which of those that an operation waits for on its stream, and elsewhere, held it longest.
void Simulation::NoteAnswers(TaskId op, const std::vector<Dependency>& dependencies) {
  const OpIndex row = graph_.RowOf(op);
  SimTime stream_free, other_free;
  for (const Dependency& d : dependencies) {
    const SimTime free = FinishOf(d.from) + d.lag;
    if (d.rule == Rule::kDeviceStall) {
      answers_->stall[row] = d.from;
    } else if (d.rule == Rule::kStreamOrder) {
      if (free > stream_free) answers_->stream[row] = d.from;
      stream_free = std::max(stream_free, free);
    } else if (free > other_free || (free == other_free && d.rule == Rule::kDefaultStream)) {
      // What both rules ask for is the default stream's: it would be waited for without an event.
      answers_->other[row] = d.from;
      answers_->other_rule[row] = d.rule;
      other_free = free;
    }
  }
  if (dependencies.size() < 2) return;
  for (const Dependency& d : dependencies) {
    const bool is_noted = d.from == answers_->stream[row] || d.from == answers_->other[row] ||
                          d.from == answers_->stall[row];
    if (!is_noted) answers_->beside.push_back({op, d.from, d.rule, d.lag});
  }
}

void Simulation::AddDependency(TaskId from, Rule rule, ConstantId lag) {
  if (from.valid() && !Ignores(rule)) {
    dependencies_.push_back({from, rule, graph_.lag(lag)});
  }
}

void Simulation::CollectDependencies(TaskId op, std::uint32_t stream) {
  dependencies_.clear();
  const std::uint8_t flags = graph_.flags[op];
  if ((flags & kNode) != 0 && op != launch_head_) return CollectNodeOrder(op);
  // CUDA runs the operations of a stream in the order in which they were issued: the last one is
  // enough, for it waited for those before.
  Stream& own = streams_[stream];
  if (own.last.valid() && !Ignores(Rule::kStreamOrder)) {
    dependencies_.push_back({own.last, Rule::kStreamOrder, graph_.LagBehind(own.last, op)});
  }
  for (TaskId from : own.beside) {
    AddDependency(from, Rule::kStreamOrder, graph_.GapBetween(from, op));
  }
  // An event wait holds this operation; those behind it are held by it.
  for (TaskId from : own.waits) AddDependency(from, Rule::kEventWait, graph_.event_latency);
  own.waits.clear();
  const GraphStream& lane = graph_.streams[stream];
  const DefaultStreamOrder& order = defaults_[lane.context];
  // The legacy default stream and blocking streams wait for each other, both ways, though nothing
  // in the program says so: cudaMemcpy and kernels launched without a stream hold up all others.
  const ConstantId latency = graph_.default_stream_latency;
  if (lane.is_null) {
    for (std::uint32_t other : order.unseen()) {
      AddDependency(streams_[other].last, Rule::kDefaultStream, latency);
      for (TaskId from : streams_[other].beside) {
        AddDependency(from, Rule::kDefaultStream, latency);
      }
    }
  } else if (lane.is_blocking) {
    AddDependency(order.last(), Rule::kDefaultStream, latency);
  }
  if ((flags & kNode) != 0) launch_dependencies_ = dependencies_;
}

// Nodes of a CUDA graph wait for others of their launch; those that wait for none begin with the
// first.
void Simulation::CollectNodeOrder(TaskId op) {
  const auto it = std::partition_point(graph_.node_orders.begin(), graph_.node_orders.end(),
                                       [&](const NodeOrder& n) { return n.op < op; });
  if (it != graph_.node_orders.end() && it->op == op) {
    AddDependency(it->from, Rule::kStreamOrder, graph_.GapBetween(it->from, op));
  } else {
    dependencies_ = launch_dependencies_;
  }
}

// What comes behind the launch of a CUDA graph waits for all of its branches.
void Simulation::NoteBranches(TaskRange nodes) {
  Stream& stream = streams_[StreamOf(nodes.front())];
  for (TaskId op : nodes) {
    const bool is_last = (graph_.flags[op] & kLastNode) != 0;
    if (is_last && op != stream.last) stream.beside.push_back(op);
  }
}

// Places an operation, or puts it aside until all it hangs on is known.
void Simulation::TryOp(TaskId op, SimTime submit, Binding submit_by,
                       std::vector<Dependency>& dependencies) {
  SimTime begin = submit;
  Binding by = submit_by;
  // The latest of all that an operation waits for decides. Of two at the same time the first one
  // does, so that the same graph always tells the same reason.
  for (const Dependency& d : dependencies) {
    if (!Known(d.from)) {
      waiters_[d.from].push_back({Waiter::Kind::kOp, op.value});
      deferred_[op] = {submit, submit_by, dependencies};
      return;
    }
    const SimTime free = FinishOf(d.from) + d.lag;
    if (free > begin) {
      begin = free;
      by = {d.from, d.rule};
    }
  }
  if (answers_ != nullptr) NoteAnswers(op, dependencies);
  if (const ChannelPlace* place = PlaceOnChannel(op)) {
    if (!is_guided_) return Offer(op, *place, begin, by);
    GuideByChannel(op, begin, by);
  }
  PlaceOp(op, begin, by);
}

void Simulation::PlaceOp(TaskId op, SimTime begin, Binding by) {
  const OpIndex row = graph_.RowOf(op);
  const std::uint16_t engine = graph_.engine[row];
  if (engine != TaskGraph::kNoEngine && !Ignores(Rule::kCopyEngine)) {
    TakeEngine(op, engine, begin, by);
  }
  SetBegin(op, begin, by);
  // A collective has no length of its own: how long its kernel runs is up to the other ranks.
  if (graph_.HasPeers(op) && !Ignores(Rule::kCollective)) {
    Arrive(op, graph_.collective[row]);
  } else {
    SetFinish(op, BeginOf(op) + Own(op), {op, Rule::kOwnTime});
  }
}

// Copies of one direction run one at a time, whatever their streams: side by side they would take
// no less. Which one comes first is a matter of time, not of issue, so an engine has gaps to fill.
void Simulation::TakeEngine(TaskId op, std::uint16_t engine, SimTime& begin, Binding& by) {
  const DurationNs gap = graph_.lag(graph_.engine_gap);
  TaskId before;
  if (is_guided_) {
    // The engine's order is the measured one here. Which copy would come first by what was issued
    // is exactly what a guided run must not guess.
    before = engines_[engine].Note(op, BeginOf(op), FinishOf(op));
    if (before.valid() && FinishOf(before) + gap > begin) {
      begin = FinishOf(before) + gap;
      by = {before, Rule::kCopyEngine};
    }
  } else {
    const CopyEngine::Slot slot = engines_[engine].Take(op, begin, Own(op), gap);
    before = slot.blocker;
    begin = slot.begin;
    if (before.valid()) by = {before, Rule::kCopyEngine};
  }
  if (answers_ != nullptr) answers_->engine[graph_.RowOf(op)] = before;
}

// A rank has come to a collective; the last one lets all of them go on. A rank's measured kernel
// holds the wait for its peers: without this, making one rank faster would seem to gain nothing, or
// all of its kernels' time.
void Simulation::Arrive(TaskId op, std::uint32_t collective) {
  const std::vector<TaskId>& members = graph_.collectives[collective];
  if (is_guided_) {
    TaskId last = op;
    for (TaskId member : members) {
      if (BeginOf(member) > BeginOf(last)) last = member;
    }
    const Rule rule = last == op ? Rule::kOwnTime : Rule::kCollective;
    SetFinish(op, BeginOf(last) + Own(op), {last, rule});
    return;
  }
  Arrivals& arrivals = arrivals_[collective];
  // It went on without this rank, to break a deadlock: the rank finds nobody to wait for.
  if (arrivals.done) {
    SetFinish(op, BeginOf(op) + Own(op), {op, Rule::kOwnTime});
    return;
  }
  if (arrivals.count == 0 || BeginOf(op) > arrivals.time) {
    arrivals.time = BeginOf(op);
    arrivals.last = op;
  }
  ++arrivals.count;
  if (arrivals.count == members.size()) Complete(collective);
}

void Simulation::Complete(std::uint32_t collective) {
  Arrivals& arrivals = arrivals_[collective];
  arrivals.done = true;
  const std::vector<TaskId>& members = graph_.collectives[collective];
  // The data moves at the pace of the slowest link; what-ifs may have given ranks different ones.
  DurationNs transfer = 0;
  for (TaskId member : members) {
    if (BeginOf(member).known()) transfer = std::max(transfer, Own(member));
  }
  for (TaskId member : members) {
    if (!BeginOf(member).known()) continue;
    const Rule rule = member == arrivals.last ? Rule::kOwnTime : Rule::kCollective;
    SetFinish(member, arrivals.time + transfer, {arrivals.last, rule});
  }
}

}  // namespace xsp
