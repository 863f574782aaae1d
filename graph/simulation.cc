#include "graph/simulation.h"

#include <algorithm>
#include <functional>

namespace xsp {

template <bool kGuided>
Simulation<kGuided>::Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers)
    : graph_(graph),
      overlay_(overlay),
      ignored_rules_(graph.ignored_rules | overlay.ignored_rules),
      answers_(answers) {
  const std::size_t tasks = graph.task_count() + 2 * overlay.splices.size();
  result_.begin.resize(tasks);
  result_.finish.resize(tasks);
  result_.begin_by.resize(tasks);
  result_.finish_by.resize(tasks);
  streams_.resize(graph.streams.size());
  queues_.assign(graph.contexts.size(), LaunchQueue(graph.queue_depth));
  defaults_.resize(graph.contexts.size());
  engines_.resize(graph.engine_count);
  records_.resize(graph.record_stream.size());
  arrivals_.resize(graph.collectives.size());
  if (answers == nullptr) return;
  for (auto* column : {&answers->stream, &answers->engine, &answers->other}) {
    column->assign(graph.op_count(), TaskId());
  }
  answers->order.clear();
  answers->order.reserve(2 * tasks);
  answers->awaited.assign(graph.host_count(), TaskId());
  answers->queue.assign(graph.host_count(), TaskId());
}

template <bool kGuided>
Schedule Simulation<kGuided>::Run() {
  StartThreads();
  while (true) {
    if (heap_.empty()) {
      if (!BreakDeadlock()) break;
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint32_t thread = heap_.back().second;
    heap_.pop_back();
    while (true) {
      const bool is_ready = Advance(thread);
      if (!resolved_.empty()) Drain();
      if (!is_ready) break;
      const std::pair<SimTime, std::uint32_t> place(threads_[thread].key, thread);
      if (heap_.empty() || place < heap_.front()) continue;
      heap_.push_back(place);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      break;
    }
  }
  return std::move(result_);
}

template class Simulation<false>;
template class Simulation<true>;

}  // namespace xsp
