#include <algorithm>

#include "graph/simulation.h"

// The device's half of a simulation.
namespace xsp {

template <bool kGuided>
void Simulation<kGuided>::IssueOp(TaskId op, SimTime submit, Binding submit_by) {
  const std::uint32_t stream = StreamOf(op);
  CollectDependencies(op, stream);
  streams_[stream].last = op;
  streams_[stream].beside.clear();
  const GraphStream& lane = graph_.streams[stream];
  if (lane.is_null) {
    defaults_[lane.context].NoteDefault(op);
  } else if (lane.is_blocking) {
    defaults_[lane.context].NoteBlocking(stream, streams_[stream].seen_epoch);
  }
  if (answers_ != nullptr && !IsSplice(op)) {
    TaskId& other = answers_->other[graph_.OpIndex(op.value)];
    for (const Dependency& d : dependencies_) {
      if (d.rule == Rule::kStreamOrder) {
        TaskId& before = answers_->stream[graph_.OpIndex(op.value)];
        if (!before.valid() || FinishOf(d.from) > FinishOf(before)) before = d.from;
      } else if (!other.valid() || FinishOf(d.from) > FinishOf(other)) {
        other = d.from;
      }
    }
  }
  TryOp(op, submit, submit_by, dependencies_);
}

template <bool kGuided>
void Simulation<kGuided>::AddDependency(TaskId from, Rule rule, ConstantId lag) {
  if (from.valid() && !Ignores(rule)) {
    dependencies_.push_back({from, rule, graph_.lag(lag)});
  }
}

template <bool kGuided>
ConstantId Simulation<kGuided>::GapBetween(TaskId from, TaskId to) const {
  return graph_
      .stream_gap[static_cast<std::size_t>(ClassOf(from))][static_cast<std::size_t>(ClassOf(to))];
}

template <bool kGuided>
void Simulation<kGuided>::CollectDependencies(TaskId op, std::uint32_t stream) {
  dependencies_.clear();
  const std::uint8_t flags = IsSplice(op) ? 0 : graph_.flags[op.value];
  if ((flags & kNode) != 0 && op != launch_head_) return CollectNodeOrders(op);
  Stream& own = streams_[stream];
  if (own.last.valid()) {
    const bool overlaps = (flags & kOverlaps) != 0;
    AddDependency(own.last, Rule::kStreamOrder,
                  overlaps ? graph_.overlap_lag : GapBetween(own.last, op));
  }
  for (TaskId from : own.beside) AddDependency(from, Rule::kStreamOrder, GapBetween(from, op));
  for (TaskId from : own.waits) AddDependency(from, Rule::kEventWait, graph_.event_latency);
  own.waits.clear();
  const GraphStream& lane = graph_.streams[stream];
  const DefaultStreamOrder& order = defaults_[lane.context];
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
template <bool kGuided>
void Simulation<kGuided>::CollectNodeOrders(TaskId op) {
  TaskId from = op;
  do {
    auto it = std::partition_point(graph_.node_orders.begin(), graph_.node_orders.end(),
                                   [&](const NodeOrder& n) { return n.op < from.value; });
    const bool found = it != graph_.node_orders.end() && it->op == from.value;
    from = found ? TaskId(it->from) : TaskId();
  } while (from.valid() && Removed(from));
  if (from.valid()) {
    AddDependency(from, Rule::kStreamOrder, GapBetween(from, op));
  } else {
    dependencies_ = launch_dependencies_;
  }
}

// What comes behind the launch of a CUDA graph waits for all of its branches.
template <bool kGuided>
void Simulation<kGuided>::NoteBranches(TaskId head, TaskId last) {
  Stream& stream = streams_[StreamOf(head)];
  for (TaskId op = head; op.value <= last.value; ++op.value) {
    const bool is_last = !Removed(op) && (graph_.flags[op.value] & kLastNode) != 0;
    if (is_last && op != stream.last) stream.beside.push_back(op);
  }
}

// Places an operation, or puts it aside until all it hangs on is known.
template <bool kGuided>
void Simulation<kGuided>::TryOp(TaskId op, SimTime submit, Binding submit_by,
                                std::vector<Dependency>& dependencies) {
  SimTime begin = submit;
  Binding by = submit_by;
  for (const Dependency& d : dependencies) {
    if (!Known(d.from)) {
      waiters_[d.from.value].push_back({false, op.value});
      deferred_[op.value] = {submit, submit_by, dependencies};
      return;
    }
    const SimTime free = FinishOf(d.from) + d.lag;
    if (free > begin) {
      begin = free;
      by = {d.from, d.rule};
    }
  }
  PlaceOp(op, begin, by);
}

template <bool kGuided>
void Simulation<kGuided>::PlaceOp(TaskId op, SimTime begin, Binding by) {
  const std::uint32_t row = IsSplice(op) ? 0 : graph_.OpIndex(op.value);
  const std::uint16_t engine = IsSplice(op) ? TaskGraph::kNoEngine : graph_.engine[row];
  if (engine != TaskGraph::kNoEngine && !Ignores(Rule::kCopyEngine)) {
    const DurationNs gap = graph_.lag(graph_.engine_gap);
    if constexpr (kGuided) {
      const TaskId before = engines_[engine].Note(op, BeginOf(op), FinishOf(op));
      if (answers_ != nullptr) answers_->engine[row] = before;
      if (before.valid() && FinishOf(before) + gap > begin) {
        begin = FinishOf(before) + gap;
        by = {before, Rule::kCopyEngine};
      }
    } else {
      const CopyEngine::Slot slot = engines_[engine].Take(op, begin, Own(op), gap);
      if (slot.blocker.valid()) by = {slot.blocker, Rule::kCopyEngine};
      begin = slot.begin;
      if (answers_ != nullptr && !IsSplice(op)) answers_->engine[row] = slot.blocker;
    }
  }
  SetBegin(op, begin, by);
  const bool is_collective = !IsSplice(op) && !graph_.collective.empty() &&
                             graph_.collective[row] != TaskGraph::kNoCollective &&
                             !Ignores(Rule::kCollective);
  if (is_collective) {
    Arrive(op, graph_.collective[row]);
  } else {
    SetFinish(op, BeginOf(op) + Own(op), {op, Rule::kOwnTime});
  }
}

// A rank has come to a collective; the last one lets all of them go on.
template <bool kGuided>
void Simulation<kGuided>::Arrive(TaskId op, std::uint32_t collective) {
  const std::vector<TaskId>& members = graph_.collectives[collective];
  if constexpr (kGuided) {
    TaskId last = op;
    for (TaskId member : members) {
      if (BeginOf(member) > BeginOf(last)) last = member;
    }
    const Rule rule = last == op ? Rule::kOwnTime : Rule::kCollective;
    SetFinish(op, BeginOf(last) + Own(op), {last, rule});
    return;
  }
  Arrivals& arrivals = arrivals_[collective];
  if (arrivals.done) {
    SetFinish(op, BeginOf(op) + Own(op), {op, Rule::kOwnTime});
    return;
  }
  if (arrivals.count == 0 || BeginOf(op) > arrivals.time) {
    arrivals.time = BeginOf(op);
    arrivals.last = op;
  }
  ++arrivals.count;
  const auto expected = std::count_if(members.begin(), members.end(),
                                      [&](TaskId member) { return !Removed(member); });
  if (arrivals.count == static_cast<std::uint32_t>(expected)) Complete(collective);
}

template <bool kGuided>
void Simulation<kGuided>::Complete(std::uint32_t collective) {
  Arrivals& arrivals = arrivals_[collective];
  arrivals.done = true;
  const std::vector<TaskId>& members = graph_.collectives[collective];
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

// Tells everybody who waited for what has become known, and whoever waits for those in turn.
template <bool kGuided>
void Simulation<kGuided>::Drain() {
  while (!resolved_.empty()) {
    const TaskId task = resolved_.back();
    resolved_.pop_back();
    auto node = waiters_.extract(task.value);
    if (node.empty()) continue;
    for (const Waiter& waiter : node.mapped()) {
      if (waiter.is_thread) {
        heap_.emplace_back(threads_[waiter.id].key, waiter.id);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      } else {
        auto op = deferred_.extract(waiter.id);
        Deferred& deferred = op.mapped();
        TryOp(TaskId(waiter.id), deferred.submit, deferred.submit_by, deferred.dependencies);
      }
    }
  }
}

// All threads wait: some rank will never come to a collective (an edit took it away). The others go
// on without it. False if everything is done.
template <bool kGuided>
bool Simulation<kGuided>::BreakDeadlock() {
  for (std::uint32_t i = 0; i < arrivals_.size(); ++i) {
    if (arrivals_[i].done || arrivals_[i].count == 0) continue;
    Complete(i);
    ++result_.broken_collectives;
    Drain();
    return true;
  }
  return false;
}

template class Simulation<false>;
template class Simulation<true>;

}  // namespace xsp
