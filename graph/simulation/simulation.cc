#include "graph/simulation/simulation.h"

namespace xsp {
namespace {

std::vector<SimTime> SimTimesOf(const PerTask<TimeNs>& measured) {
  std::vector<SimTime> times;
  times.reserve(measured.size());
  for (TimeNs time : measured) times.push_back(SimTime::At(time));
  return times;
}

}  // namespace

Simulation::Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers, Kind kind)
    : graph_(graph),
      ignored_rules_(graph.ignored_rules | overlay.ignored_rules),
      own_((overlay.own.empty() ? graph.own : overlay.own).data()),
      gap_((overlay.gap.empty() ? graph.gap : overlay.gap).data()),
      wait_(!overlay.wait.empty() ? overlay.wait.data()
            : !graph.wait.empty() ? graph.wait.data()
                                  : nullptr),
      interval_(overlay.interval.empty() ? nullptr : overlay.interval.data()),
      slow_producers_(overlay.slow_producers),
      late_ones_wait_(overlay.late_ones_wait),
      is_guided_(kind == Kind::kGuided),
      answers_(answers) {
  const std::size_t tasks = graph.task_count();
  result_.begin.resize(tasks);
  result_.finish.resize(tasks);
  result_.begin_by.resize(tasks);
  result_.finish_by.resize(tasks);
  if (is_guided_) {
    measured_begin_ = SimTimesOf(graph.measured_begin);
    measured_end_ = SimTimesOf(graph.measured_end);
  }
  begin_at_ = (is_guided_ ? measured_begin_ : result_.begin).data();
  finish_at_ = (is_guided_ ? measured_end_ : result_.finish).data();
  streams_.resize(graph.streams.size());
  tails_.resize(graph.contexts.size());
  const bool by_stream = graph.queue_kind == QueueKind::kStream;
  queues_.assign(by_stream ? graph.streams.size() : graph.contexts.size(),
                 LaunchQueue(graph.queue_depth, graph.queue_kind == QueueKind::kContextInOrder));
  defaults_.resize(graph.contexts.size());
  engines_.resize(graph.engine_count);
  records_.resize(graph.record_stream.size());
  arrivals_.resize(graph.collectives.size());
  taken_.resize(graph.producers.size());
  lock_last_.resize(graph.contexts.size());
  first_tick_.resize(graph.timers.size());
  // Answers cost memory and time; a thousand simulations of one graph ask for times alone.
  if (answers == nullptr) return;
  for (auto* column : {&answers->stream, &answers->engine, &answers->other, &answers->stall}) {
    column->assign(graph.op_count(), TaskId());
  }
  answers->other_rule.assign(graph.op_count(), Rule::kNone);
  answers->channel.assign(graph.channels.empty() ? 0 : graph.op_count(), TaskId());
  answers->beside.clear();
  answers->lag_of_looks.clear();
  answers->order.clear();
  answers->order.reserve(2 * tasks);
  answers->awaited.assign(graph.host_count(), TaskId());
  answers->queue.assign(graph.host_count(), TaskId());
}

}  // namespace xsp
