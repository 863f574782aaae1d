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
    FindAwaited();
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
      if (it->is_finish()) {
        FromFinish(task);
      } else if (graph_.IsHost(task)) {
        FromHostBegin(task);
      } else {
        FromOpBegin(task);
      }
    }
    for (DurationNs& slack : at_begin_) slack = std::min(slack, kEndlessSlack);
    return std::move(at_begin_);
  }

 private:
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
        if (is_asked && last[stream] == op) awaited_.emplace_back(task, op);
      }
    }
    std::sort(awaited_.begin(), awaited_.end());
  }

  // `source` may be delayed by what `target` may, plus the time that lies idle between the two.
  void Limit(PerTask<DurationNs>& slack, TaskId source, DurationNs target_slack, DurationNs idle) {
    slack[source] = std::min(slack[source], target_slack + std::max<DurationNs>(0, idle));
  }

  // What passes in a task besides its own work, whatever others do.
  DurationNs WaitOf(TaskId task) const {
    return WaitAlone(graph_, answers_, task) +
           (graph_.wait.empty() || !graph_.IsHost(task) ? 0 : graph_.wait[task]);
  }

  void FromFinish(TaskId task) {
    const SimTime finish = schedule_.finish[task];
    // An operation runs until its finish, however much others slow it down; a rank may wait.
    const bool waits = graph_.IsHost(task) || graph_.HasPeers(task);
    const DurationNs idle = finish - schedule_.begin[task] - graph_.own[task] - WaitOf(task);
    Limit(at_begin_, task, at_finish_[task], waits ? idle : 0);
    if (!graph_.IsHost(task)) {
      FromPeers(task);
      return;
    }
    const Question& question = graph_.question[task];
    const DurationNs lag = graph_.lag(question) + (question.before_work ? graph_.own[task] : 0);
    if (const TaskId awaited = answers_.awaited[task]; awaited.valid() && IsWait(question.ask)) {
      Limit(at_finish_, awaited, at_finish_[task], finish - schedule_.finish[awaited] - lag);
    }
    for (auto it = std::lower_bound(awaited_.begin(), awaited_.end(), std::pair(task, TaskId(0)));
         it != awaited_.end() && it->first == task; ++it) {
      Limit(at_finish_, it->second, at_finish_[task], finish - schedule_.finish[it->second] - lag);
    }
    if (const TaskId blocker = answers_.queue[task]; blocker.valid()) {
      Limit(at_finish_, blocker, at_finish_[task],
            finish - schedule_.finish[blocker] - graph_.lag(graph_.queue_latency));
    }
  }

  // The other ranks of a collective: each must have come.
  void FromPeers(TaskId op) {
    const OpIndex row = graph_.RowOf(op);
    if (!graph_.HasPeers(op)) return;
    for (TaskId peer : graph_.collectives[graph_.collective[row]]) {
      Limit(at_begin_, peer, at_finish_[op],
            schedule_.finish[op] - schedule_.begin[peer] - graph_.own[op]);
    }
  }

  // What a call issues leaves when the call has done its own work and has a place in the queue,
  // which may be long before it returns.
  void FromSubmit(TaskId call, DurationNs slack, SimTime left) {
    const Question& question = graph_.question[call];
    const DurationNs own = graph_.own[call];
    Limit(at_begin_, call, slack, left - schedule_.begin[call] - own);
    if (const TaskId blocker = answers_.queue[call]; blocker.valid()) {
      Limit(at_finish_, blocker, slack,
            left - schedule_.finish[blocker] - graph_.lag(graph_.queue_latency));
    }
    const TaskId awaited = answers_.awaited[call];
    if (awaited.valid() && IsWait(question.ask) && question.before_work) {
      Limit(at_finish_, awaited, slack,
            left - schedule_.finish[awaited] - graph_.lag(question.latency) - own);
    }
  }

  void FromOpBegin(TaskId op) {
    const OpIndex row = graph_.RowOf(op);
    const SimTime begin = schedule_.begin[op];
    const TaskId call = graph_.call[row];
    if (graph_.submit[row] == Submit::kAfterOwnCost) {
      FromSubmit(call, at_begin_[op], begin - graph_.lag(graph_.SubmitDelay(op)));
    }
    auto limit = [&](TaskId from, DurationNs lag) {
      if (!from.valid()) return;
      Limit(at_finish_, from, at_begin_[op], begin - schedule_.finish[from] - lag);
    };
    if (const TaskId before = answers_.stream[row]; before.valid()) {
      limit(before, graph_.lag(graph_.GapBetween(before, op)));
    }
    limit(answers_.engine[row], graph_.lag(graph_.engine_gap));
    if (const TaskId other = answers_.other[row]; other.valid()) {
      const Rule rule = RuleBetweenStreams(graph_, op, other);
      limit(other, graph_.lag(LatencyBetweenStreams(graph_, rule)));
    }
    limit(answers_.stall[row], graph_.lag(graph_.mapping_stall));
    const ChannelPlace* place = graph_.PlaceOnChannel(op);
    if (place == nullptr) return;
    limit(answers_.channel[row], 0);
    if (const TaskId after = place->after; after.valid() && !graph_.Ignores(Rule::kPrefetch)) {
      Limit(at_begin_, after, at_begin_[op], begin - schedule_.begin[after]);
    }
  }

  void FromHostBegin(TaskId task) {
    const SimTime begin = schedule_.begin[task];
    auto handoff =
        std::lower_bound(graph_.handoffs.begin(), graph_.handoffs.end(), task,
                         [](const Handoff& a, TaskId wanted) { return a.task < wanted; });
    for (; handoff != graph_.handoffs.end() && handoff->task == task; ++handoff) {
      if (graph_.Ignores(Rule::kThreadHandoff)) break;
      Limit(at_finish_, handoff->from, at_begin_[task],
            begin - schedule_.finish[handoff->from] - handoff->lag);
    }
    if (task == graph_.threads[graph_.lane[task]].first) return;
    const TaskId previous(task.value - 1);
    Limit(at_finish_, previous, at_begin_[task],
          begin - schedule_.finish[previous] - graph_.gap[task]);
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Answers& answers_;
  PerTask<DurationNs> at_begin_;
  PerTask<DurationNs> at_finish_;
  std::vector<std::pair<TaskId, TaskId>> awaited_;  // (call, operation).
};

}  // namespace

PerTask<DurationNs> FindSlack(const TaskGraph& graph, const Schedule& schedule,
                              const Answers& answers, SimTime end) {
  return SlackPass(graph, schedule, answers, end).Run();
}

}  // namespace xsp
