#include "graph/verify.h"

#include <algorithm>

namespace xsp {
namespace {

// Clocks of host and device, and of two engines, agree to about this.
constexpr DurationNs kSkew = 1'000;

class Check {
 public:
  Check(const TaskGraph& graph, const Answers& answers) : graph_(graph), answers_(answers) {}

  Verification Run() {
    Structure();
    if (!result_.faults.empty()) return std::move(result_);
    Reached();
    HostEdges();
    DeviceEdges();
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
    Expect(graph_.first_op.back() == tasks, "operations without a call");
    for (std::uint32_t host = 0; host < hosts; ++host) {
      Expect(graph_.first_op[host] <= graph_.first_op[host + 1], "operations are out of order");
      Expect(graph_.own[host] >= 0, "a call has a negative cost");
    }
    for (std::uint32_t op = graph_.host_count(); op < tasks; ++op) {
      const std::uint32_t call = graph_.call[graph_.OpIndex(op)];
      Expect(call < hosts && graph_.first_op[call] <= op && op < graph_.first_op[call + 1],
             "an operation is not among those of its call");
      Expect(graph_.lane[op] < graph_.streams.size(), "an operation has no stream");
    }
    std::uint32_t next = 0;
    for (const GraphThread& thread : graph_.threads) {
      Expect(thread.first == next && thread.first <= thread.last, "threads do not tile host tasks");
      next = thread.last;
    }
    Expect(next == hosts, "host tasks without a thread");
    for (const Handoff& handoff : graph_.handoffs) {
      Expect(handoff.task < hosts && handoff.from < hosts &&
                 graph_.lane[handoff.task] != graph_.lane[handoff.from],
             "a hand-off does not lead from thread to thread");
    }
    if (result_.faults.size() > 10) result_.faults.resize(10);
  }

  // A cycle, or a task that nothing leads to, would leave a point without a time.
  void Reached() {
    const Schedule schedule = Simulate(graph_);
    for (std::uint32_t task = 0; task < graph_.task_count(); ++task) {
      if (schedule.finish[task].known()) continue;
      Expect(false, "a task never comes to pass");
      return;
    }
    Expect(schedule.broken_collectives == 0, "a collective waits for itself");
  }

  // `point` should not come before `earliest`.
  void Edge(Rule rule, TaskId task, TaskId source, TimeNs point, TimeNs earliest) {
    ++result_.edges[IndexOf(rule)];
    if (point + kSkew >= earliest) return;
    ++result_.violated[IndexOf(rule)];
    result_.violations.push_back({rule, task, source, earliest - point});
  }

  void HostEdges() {
    for (const GraphThread& thread : graph_.threads) {
      if (thread.last > thread.first) {
        result_.edges[IndexOf(Rule::kProgramOrder)] += thread.last - thread.first - 1;
      }
    }
    result_.edges[IndexOf(Rule::kThreadHandoff)] +=
        static_cast<std::uint32_t>(graph_.handoffs.size());
    for (std::uint32_t task = 0; task < graph_.host_count(); ++task) {
      const Question& question = graph_.question[task];
      const TimeNs end = graph_.measured_end[task];
      if (const TaskId awaited = answers_.awaited[task]; awaited.valid() && IsWait(question.ask)) {
        // A tail may be negative: some calls return before their copy has ended.
        const DurationNs tail = std::min<DurationNs>(0, graph_.constants[question.latency].p10);
        Edge(question.rule, TaskId(task), awaited, end,
             graph_.measured_end[awaited.value] + tail);
      }
      if (const TaskId blocker = answers_.queue[task]; blocker.valid()) {
        Edge(Rule::kLaunchQueue, TaskId(task), blocker, end, graph_.measured_end[blocker.value]);
      }
    }
  }

  void DeviceEdges() {
    for (std::uint32_t row = 0; row < graph_.op_count(); ++row) {
      const std::uint32_t op = graph_.host_count() + row;
      const TimeNs begin = graph_.measured_begin[op];
      if (graph_.submit[row] == Submit::kAfterOwnCost) {
        const std::uint32_t call = graph_.call[row];
        Edge(Rule::kSubmit, TaskId(op), TaskId(call), begin, graph_.measured_begin[call]);
      }
      auto after = [&](Rule rule, TaskId from) {
        if (from.valid()) Edge(rule, TaskId(op), from, begin, graph_.measured_end[from.value]);
      };
      if ((graph_.flags[op] & kOverlaps) == 0) after(Rule::kStreamOrder, answers_.stream[row]);
      after(Rule::kCopyEngine, answers_.engine[row]);
      if (const TaskId other = answers_.other[row]; other.valid()) {
        after(RuleBetweenStreams(graph_, op, other), other);
      }
    }
    for (const std::vector<TaskId>& members : graph_.collectives) {
      for (TaskId member : members) {
        for (TaskId peer : members) {
          if (peer == member) continue;
          Edge(Rule::kCollective, member, peer, graph_.measured_end[member.value],
               graph_.measured_begin[peer.value]);
        }
      }
    }
  }

  const TaskGraph& graph_;
  const Answers& answers_;
  Verification result_;
};

}  // namespace

Rule RuleBetweenStreams(const TaskGraph& graph, std::uint32_t op, TaskId source) {
  const GraphStream& stream = graph.streams[graph.lane[op]];
  const GraphStream& other = graph.streams[graph.lane[source.value]];
  if (stream.context == other.context &&
      ((stream.is_null && other.is_blocking) || (other.is_null && stream.is_blocking))) {
    return Rule::kDefaultStream;
  }
  const bool same_launch =
      graph.call[graph.OpIndex(op)] == graph.call[graph.OpIndex(source.value)];
  return same_launch ? Rule::kStreamOrder : Rule::kEventWait;
}

Verification Verify(const TaskGraph& graph, const Answers& answers) {
  return Check(graph, answers).Run();
}

}  // namespace xsp
