#include <algorithm>

#include "graph/simulation.h"

// The device's half of a simulation.
namespace xsp {

template <bool kGuided>
void Simulation<kGuided>::IssueOp(TaskId op, SimTime submit, Binding submit_by) {
  const std::uint32_t stream = StreamOf(op);
  CollectDependencies(op, stream, ClassOf(op));
  streams_[stream].last = op;
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
        answers_->stream[graph_.OpIndex(op.value)] = d.from;
      } else if (!other.valid() || FinishOf(d.from) > FinishOf(other)) {
        other = d.from;
      }
    }
  }
  TryOp(op, submit, submit_by, dependencies_);
}

template <bool kGuided>
void Simulation<kGuided>::CollectDependencies(TaskId op, std::uint32_t stream, OpClass op_class) {
  dependencies_.clear();
  auto add = [&](TaskId from, Rule rule, ConstantId lag) {
    if (from.valid() && !overlay_.Ignores(rule)) {
      dependencies_.push_back({from, rule, graph_.lag(lag)});
    }
  };
  auto gap_after = [&](TaskId from) {
    return graph_
        .stream_gap[static_cast<std::size_t>(ClassOf(from))][static_cast<std::size_t>(op_class)];
  };
  Stream& own = streams_[stream];
  if (own.last.valid()) {
    const bool overlaps = !IsSplice(op) && (graph_.flags[op.value] & kOverlaps) != 0;
    add(own.last, Rule::kStreamOrder, overlaps ? graph_.overlap_lag : gap_after(own.last));
  }
  for (TaskId from : own.waits) add(from, Rule::kEventWait, graph_.event_latency);
  own.waits.clear();
  const GraphStream& lane = graph_.streams[stream];
  const DefaultStreamOrder& order = defaults_[lane.context];
  if (lane.is_null) {
    for (std::uint32_t other : order.unseen()) {
      add(streams_[other].last, Rule::kDefaultStream, gap_after(streams_[other].last));
    }
  } else if (lane.is_blocking && order.last().valid()) {
    add(order.last(), Rule::kDefaultStream, gap_after(order.last()));
  }
  if (op_class != OpClass::kNode || graph_.node_orders.empty() || IsSplice(op)) return;
  auto it = std::partition_point(graph_.node_orders.begin(), graph_.node_orders.end(),
                                 [&](const NodeOrder& n) { return n.op < op.value; });
  for (; it != graph_.node_orders.end() && it->op == op.value; ++it) {
    add(TaskId(it->from), Rule::kStreamOrder, gap_after(TaskId(it->from)));
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
  if (engine != TaskGraph::kNoEngine && !overlay_.Ignores(Rule::kCopyEngine)) {
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
                             !overlay_.Ignores(Rule::kCollective);
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
