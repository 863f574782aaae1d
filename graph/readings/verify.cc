#include "graph/readings/verify.h"

#include <algorithm>

#include "graph/readings/edges.h"

namespace xsp {
namespace {

// Clocks of host and device, and of two engines, agree to about this.
constexpr DurationNs kClockSlack = 1'000;

class Check {
 public:
  Check(const TaskGraph& graph, const Schedule& replay, const Answers& answers, TimeRange part)
      : graph_(graph), replay_(replay), answers_(answers), part_(part) {}

  Verification Run() {
    Structure();
    if (!result_.faults.empty()) return std::move(result_);
    Reached();
    ForEachEdge(graph_, answers_, [&](const Edge& edge) { CheckEdge(edge); });
    std::sort(result_.violations.begin(), result_.violations.end(),
              [](const Violation& a, const Violation& b) {
                return std::pair(-a.by, a.task) < std::pair(-b.by, b.task);
              });
    return std::move(result_);
  }

 private:
  void Expect(bool holds, const char* what) {
    if (!holds) result_.faults.emplace_back(what);
  }

  void Structure() {
    const std::size_t tasks = graph_.task_count();
    const std::size_t hosts = graph_.host_count();
    const std::size_t ops = graph_.op_count();
    Expect(hosts + ops == tasks, "host tasks and operations are not all tasks");
    Expect(graph_.own.size() == tasks && graph_.lane.size() == tasks &&
               graph_.kind.size() == tasks && graph_.flags.size() == tasks,
           "columns of tasks differ in length");
    Expect(graph_.question.size() == hosts && graph_.first_op.size() == hosts + 1,
           "columns of host tasks differ in length");
    Expect(graph_.call.size() == ops && graph_.engine.size() == ops && graph_.submit.size() == ops,
           "columns of operations differ in length");
    if (!result_.faults.empty()) return;
    Expect(graph_.first_op.back().value == tasks, "operations without a call");
    for (TaskId host : graph_.host_tasks()) {
      Expect(graph_.OpsOf(host).first <= graph_.OpsOf(host).last, "operations are out of order");
      Expect(graph_.own[host] >= 0, "a call has a negative cost");
    }
    for (TaskId op : graph_.ops()) {
      const TaskId call = graph_.CallOf(op);
      Expect(call.value < hosts && graph_.OpsOf(call).Contains(op),
             "an operation is not among those of its call");
      Expect(graph_.lane[op] < graph_.streams.size(), "an operation has no stream");
    }
    TaskId next(0);
    for (const GraphThread& thread : graph_.threads) {
      Expect(thread.first == next && thread.first <= thread.last, "threads do not tile host tasks");
      next = thread.last;
    }
    Expect(next.value == hosts, "host tasks without a thread");
    for (const Handoff& handoff : graph_.handoffs) {
      // Or from a stream, by a host function.
      const bool is_other =
          !graph_.IsHost(handoff.from) || graph_.lane[handoff.task] != graph_.lane[handoff.from];
      Expect(graph_.IsHost(handoff.task) && is_other,
             "a hand-off does not lead from thread to thread");
    }
    if (result_.faults.size() > 10) result_.faults.resize(10);
  }

  // A cycle, or a task that nothing leads to, would leave a point without a time.
  void Reached() {
    for (TaskId task : graph_.tasks()) {
      if (replay_.finish[task].known()) continue;
      Expect(false, "a task never comes to pass");
      return;
    }
    Expect(replay_.broken_collectives == 0, "a collective waits for itself");
  }

  void CheckEdge(const Edge& edge) {
    if (!part_.Contains(TraceBegin(graph_, edge.to))) return;
    ++result_.edges[IndexOf(edge.rule)];
    const auto& from = edge.from_finish ? graph_.measured_end : graph_.measured_begin;
    const auto& to = edge.to_finish ? graph_.measured_end : graph_.measured_begin;
    const DurationNs early = from[edge.from] + edge.least_lag - to[edge.to];
    if (early <= kClockSlack) return;
    ++result_.violated[IndexOf(edge.rule)];
    result_.violations.push_back({edge.rule, edge.to, edge.from, early});
  }

  const TaskGraph& graph_;
  const Schedule& replay_;
  const Answers& answers_;
  const TimeRange part_;
  Verification result_;
};

}  // namespace

Verification Verify(const TaskGraph& graph, const Schedule& replay, const Answers& answers,
                    TimeRange part) {
  return Check(graph, replay, answers, part).Run();
}

}  // namespace xsp
