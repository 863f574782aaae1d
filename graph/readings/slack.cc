#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/readings/edges.h"

namespace xsp {
namespace {

// Carries slack from points to those they hang on, last things first.
class SlackPass {
 public:
  SlackPass(const TaskGraph& graph, const Schedule& schedule, const Answers& answers, SimTime end)
      : graph_(graph), schedule_(schedule), answers_(answers) {
    at_begin_.assign(graph.task_count(), kEndlessSlack);
    at_finish_.assign(graph.task_count(), kEndlessSlack);
    AddBeside();
    FindAwaited();
    std::sort(beside_.begin(), beside_.end(),
              [](const Edge& a, const Edge& b) { return a.to < b.to; });
    SimTime last = SimTime::BeforeAll();
    for (SimTime finish : schedule.finish) {
      if (finish <= end) last = std::max(last, finish);
    }
    for (TaskId task : graph.tasks()) {
      const SimTime finish = schedule.finish[task];
      if (finish.known() && finish <= last) at_finish_[task] = last - finish;
    }
  }

  PerTask<DurationNs> Run() {
    for (auto it = answers_.order.rbegin(); it != answers_.order.rend(); ++it) {
      const TaskId task = it->task();
      EdgesInto(graph_, answers_, task, edges_);
      const auto first = std::lower_bound(beside_.begin(), beside_.end(), task,
                                          [](const Edge& edge, TaskId to) { return edge.to < to; });
      for (auto it = first; it != beside_.end() && it->to == task; ++it) edges_.push_back(*it);
      if (it->is_finish()) edges_.push_back(OwnTime(task));
      for (const Edge& edge : edges_) {
        if (edge.to_finish == it->is_finish()) Limit(edge);
      }
    }
    for (DurationNs& slack : at_begin_) slack = std::min(slack, kEndlessSlack);
    return std::move(at_begin_);
  }

 private:
  // What operations wait for beside the edge that stands for several.
  void AddBeside() {
    for (const Answers::Beside& also : answers_.beside) {
      beside_.push_back({also.rule, also.from, also.op, true, false, also.lag});
    }
  }

  // Calls that wait for several streams, and the last operation on each of these. What a thread has
  // waited for once it need not wait for again: the limit of the earlier call is the tighter one.
  void FindAwaited() {
    std::vector<TaskId> last(graph_.streams.size());
    std::vector<std::vector<TaskId>> issued(graph_.contexts.size());  // Operations in order.
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> waited_for;
    for (Point point : answers_.order) {
      const TaskId task = point.task();
      if (point.is_finish()) continue;
      if (!graph_.IsHost(task)) {
        last[graph_.lane[task]] = task;
        issued[graph_.streams[graph_.lane[task]].context].push_back(task);
        continue;
      }
      const Question& question = graph_.question[task];
      const bool is_null = question.ask == Ask::kStream && graph_.streams[question.target].is_null;
      if (question.ask != Ask::kContext && !is_null) continue;
      const std::uint32_t context =
          is_null ? graph_.streams[question.target].context : question.target;
      std::size_t& from = waited_for[{graph_.lane[task], context, is_null}];
      for (; from < issued[context].size(); ++from) {
        const TaskId op = issued[context][from];
        const std::uint32_t stream = graph_.lane[op];
        const bool is_asked = !is_null || graph_.streams[stream].is_blocking;
        if (!is_asked || last[stream] != op) continue;
        const DurationNs work = question.before_work ? graph_.own[task] : 0;
        beside_.push_back({question.rule, op, task, true, true, graph_.lag(question) + work});
      }
    }
  }

  // Where an edge comes from may be delayed by what it leads to may, plus the time that lies idle
  // between the two.
  void Limit(const Edge& edge) {
    if (!edge.Since(schedule_).known()) return;  // A rank that never came.
    const DurationNs idle = edge.Until(schedule_) - edge.Since(schedule_) - edge.lag;
    DurationNs& slack = (edge.from_finish ? at_finish_ : at_begin_)[edge.from];
    const DurationNs allowed = (edge.to_finish ? at_finish_ : at_begin_)[edge.to];
    slack = std::min(slack, allowed + std::max<DurationNs>(0, idle));
  }

  // An operation runs until its finish, however much others slow it down; a rank may wait.
  Edge OwnTime(TaskId task) const {
    const bool waits = graph_.IsHost(task) || graph_.HasPeers(task);
    const DurationNs work =
        waits ? WorkOf(graph_, task) : schedule_.finish[task] - schedule_.begin[task];
    return {Rule::kOwnTime, task, task, false, true, work};
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Answers& answers_;
  PerTask<DurationNs> at_begin_;
  PerTask<DurationNs> at_finish_;
  std::vector<Edge> beside_;  // By `to`: what is waited for, too, but held nobody up.
  std::vector<Edge> edges_;   // Into the task at hand.
};

}  // namespace

PerTask<DurationNs> FindSlack(const TaskGraph& graph, const Schedule& schedule,
                              const Answers& answers, SimTime end) {
  return SlackPass(graph, schedule, answers, end).Run();
}

}  // namespace xsp
