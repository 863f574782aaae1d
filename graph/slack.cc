#include <algorithm>
#include <limits>

#include "graph/critical_path.h"

namespace xsp {
namespace {

// Carries slack from points to those they hang on, last things first.
class SlackPass {
 public:
  SlackPass(const TaskGraph& graph, const Schedule& schedule, const Answers& answers)
      : graph_(graph), schedule_(schedule), answers_(answers) {
    SimTime end = SimTime::BeforeAll();
    for (SimTime finish : schedule.finish) end = std::max(end, finish);
    at_begin_.assign(graph.task_count(), std::numeric_limits<DurationNs>::max() / 2);
    at_finish_.resize(graph.task_count());
    for (std::uint32_t task = 0; task < graph.task_count(); ++task) {
      at_finish_[task] = schedule.finish[task].known() ? end - schedule.finish[task] : 0;
    }
  }

  std::vector<DurationNs> Run() {
    for (auto it = answers_.order.rbegin(); it != answers_.order.rend(); ++it) {
      const std::uint32_t task = *it / 2;
      if (*it % 2 == 1) {
        FromFinish(task);
      } else if (graph_.IsHost(task)) {
        FromHostBegin(task);
      } else {
        FromOpBegin(task);
      }
    }
    for (std::uint32_t task = 0; task < graph_.task_count(); ++task) {
      at_finish_[task] = std::min(at_begin_[task], at_finish_[task]);
    }
    return std::move(at_finish_);
  }

 private:
  // `source` may be delayed by what `target` may, plus the time that lies idle between the two.
  void Limit(std::vector<DurationNs>& slack, std::uint32_t source, DurationNs target_slack,
             DurationNs idle) {
    slack[source] = std::min(slack[source], target_slack + std::max<DurationNs>(0, idle));
  }

  void FromFinish(std::uint32_t task) {
    const SimTime finish = schedule_.finish[task];
    Limit(at_begin_, task, at_finish_[task], finish - schedule_.begin[task] - graph_.own[task]);
    if (!graph_.IsHost(task)) return;
    const Question& question = graph_.question[task];
    if (const TaskId awaited = answers_.awaited[task]; awaited.valid() && IsWait(question.ask)) {
      const DurationNs work = question.before_work ? graph_.own[task] : 0;
      Limit(at_finish_, awaited.value, at_finish_[task],
            finish - schedule_.finish[awaited.value] - graph_.lag(question.latency) - work);
    }
    if (const TaskId blocker = answers_.queue[task]; blocker.valid()) {
      Limit(at_finish_, blocker.value, at_finish_[task],
            finish - schedule_.finish[blocker.value] - graph_.lag(graph_.queue_latency));
    }
  }

  void FromOpBegin(std::uint32_t op) {
    const std::uint32_t row = graph_.OpIndex(op);
    const SimTime begin = schedule_.begin[op];
    const std::uint32_t call = graph_.call[row];
    const auto op_class = static_cast<std::size_t>(graph_.op_class[row]);
    if (graph_.submit[row] == Submit::kAfterOwnCost) {
      Limit(at_begin_, call, at_begin_[op],
            begin - schedule_.begin[call] - graph_.own[call] -
                graph_.lag(graph_.submit_delay[op_class]));
    }
    auto limit = [&](TaskId from, DurationNs lag) {
      if (!from.valid()) return;
      Limit(at_finish_, from.value, at_begin_[op], begin - schedule_.finish[from.value] - lag);
    };
    if (const TaskId before = answers_.stream[row]; before.valid()) {
      const auto from = static_cast<std::size_t>(graph_.op_class[graph_.OpIndex(before.value)]);
      limit(before, graph_.lag(graph_.stream_gap[from][op_class]));
    }
    limit(answers_.engine[row], graph_.lag(graph_.engine_gap));
    limit(answers_.other[row], graph_.lag(graph_.event_latency));
  }

  void FromHostBegin(std::uint32_t task) {
    const SimTime begin = schedule_.begin[task];
    const Binding by = schedule_.begin_by[task];
    if (!by.source.valid()) return;
    if (by.rule == Rule::kThreadHandoff) {
      Limit(at_finish_, by.source.value, at_begin_[task], 0);
      return;
    }
    Limit(at_finish_, by.source.value, at_begin_[task],
          begin - schedule_.finish[by.source.value] - graph_.gap[task]);
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Answers& answers_;
  std::vector<DurationNs> at_begin_;
  std::vector<DurationNs> at_finish_;
};

}  // namespace

std::vector<DurationNs> FindSlack(const TaskGraph& graph, const Schedule& schedule,
                                  const Answers& answers) {
  return SlackPass(graph, schedule, answers).Run();
}

}  // namespace xsp
