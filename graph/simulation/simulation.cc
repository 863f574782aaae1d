#include "graph/simulation/simulation.h"

#include "graph/simulation/simulation_calls.h"
#include "graph/simulation/simulation_channels.h"
#include "graph/simulation/simulation_device.h"
#include "graph/simulation/simulation_threads.h"

// The one place where the parts of a simulation are compiled, for both kinds.
namespace xsp {

template <bool kGuided>
Simulation<kGuided>::Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers)
    : graph_(graph),
      ignored_rules_(graph.ignored_rules | overlay.ignored_rules),
      own_((overlay.own.empty() ? graph.own : overlay.own).data()),
      gap_((overlay.gap.empty() ? graph.gap : overlay.gap).data()),
      wait_(!overlay.wait.empty() ? overlay.wait.data()
            : !graph.wait.empty() ? graph.wait.data()
                                  : nullptr),
      interval_(overlay.interval.empty() ? nullptr : overlay.interval.data()),
      slow_producers_(overlay.slow_producers),
      answers_(answers) {
  const std::size_t tasks = graph.task_count();
  result_.begin.resize(tasks);
  result_.finish.resize(tasks);
  result_.begin_by.resize(tasks);
  result_.finish_by.resize(tasks);
  streams_.resize(graph.streams.size());
  tails_.resize(graph.contexts.size());
  // One queue for all streams of a context: no real trace has shown several streams on a full one.
  queues_.assign(graph.contexts.size(), LaunchQueue(graph.queue_depth));
  defaults_.resize(graph.contexts.size());
  engines_.resize(graph.engine_count);
  records_.resize(graph.record_stream.size());
  arrivals_.resize(graph.collectives.size());
  taken_.resize(graph.producers.size());
  // Answers cost memory and time; a thousand simulations of one graph ask for times alone.
  if (answers == nullptr) return;
  for (auto* column : {&answers->stream, &answers->engine, &answers->other, &answers->stall}) {
    column->assign(graph.op_count(), TaskId());
  }
  answers->channel.assign(graph.channels.empty() ? 0 : graph.op_count(), TaskId());
  answers->order.clear();
  answers->order.reserve(2 * tasks);
  answers->awaited.assign(graph.host_count(), TaskId());
  answers->queue.assign(graph.host_count(), TaskId());
}

template class Simulation<false>;
template class Simulation<true>;

}  // namespace xsp
