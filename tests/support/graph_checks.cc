#include "tests/support/graph_checks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "graph/unit/gpu_span.h"

namespace xsp::test {
namespace {

constexpr std::uint32_t kMostTasks = 64;

TaskGraph WithoutInterference(TaskGraph graph) {
  graph.ignored_rules |= 1u << IndexOf(Rule::kInterference);
  return graph;
}

// What a point comes to by its edges, and whether the edge that bound it is among those.
void CheckPoint(const char* name, const Schedule& schedule, TaskId task, bool is_finish,
                SimTime least, const std::vector<Edge>& edges) {
  const SimTime point = (is_finish ? schedule.finish : schedule.begin)[task];
  SimTime latest = least;
  bool is_bound = least == point;
  for (const Edge& edge : edges) {
    if (edge.to_finish != is_finish) continue;
    latest = std::max(latest, edge.Since(schedule) + edge.lag);
    const bool is_own = edge.from == task;  // Bound by the task itself, as its own time is.
    const bool decides = edge.Since(schedule) + edge.lag == point;
    is_bound = is_bound || (decides && (is_own || edge.Binds(schedule)));
  }
  if (latest == point && is_bound) return;
  const Binding by = (is_finish ? schedule.finish_by : schedule.begin_by)[task];
  FAIL_CHECK("task " << task.value << " " << name << " at " << point.ns << ", by its edges at "
                     << latest.ns << "; bound by " << NameOf(by.rule) << " " << by.source.value);
}

// When the last of those tasks is over that finish by `end` in `before`.
SimTime EndOf(const Schedule& after, const Schedule& before, SimTime end) {
  SimTime last;
  for (TaskId task : before.finish.rows()) {
    if (before.finish[task] <= end) last = std::max(last, after.finish[task]);
  }
  return last;
}

// The graph with a task that is over later, by what follows it alone: it works longer, or begins
// later if it waits before it works. None for what no overlay can move.
std::optional<Schedule> Moved(const TaskGraph& graph, const Schedule& schedule, TaskId task,
                              DurationNs by) {
  Overlay overlay;
  const bool waits_first = graph.IsHost(task) && graph.question[task].before_work;
  if (waits_first && schedule.begin_by[task].rule == Rule::kProgramOrder) {
    overlay.gap = graph.gap;
    overlay.gap[task] += by;
  } else if (!waits_first && (graph.IsHost(task) || !graph.HasPeers(task))) {
    overlay.own = graph.own;
    overlay.own[task] += by;
  } else {
    return std::nullopt;
  }
  return Simulate(graph, overlay);
}

}  // namespace

std::vector<Edge> AllEdges(const TaskGraph& graph, const Answers& answers) {
  std::vector<Edge> edges;
  ForEachEdge(graph, answers, [&](const Edge& edge) { edges.push_back(edge); });
  return edges;
}

CriticalPath FindCriticalPath(const TaskGraph& graph, const Schedule& schedule, SimSpan span) {
  return FindCriticalPaths(graph, schedule, {span}).front();
}

void CheckEdges(const TaskGraph& with_interference) {
  const TaskGraph graph = WithoutInterference(with_interference);
  Answers answers;
  const Schedule schedule = Simulate(graph, {}, &answers);
  std::vector<Edge> edges;
  for (TaskId task : graph.tasks()) {
    const auto anchor = graph.AnchorOf(task);
    EdgesInto(graph, answers, task, edges);
    CheckPoint("begin", schedule, task, false, anchor ? SimTime::At(*anchor) : SimTime(), edges);
    CheckPoint("finish", schedule, task, true, schedule.begin[task] + WorkOf(graph, task), edges);
  }
}

void CheckSlack(const TaskGraph& with_interference) {
  if (with_interference.task_count() > kMostTasks) return;
  TaskGraph graph = WithoutInterference(with_interference);
  // A loop of queries has room within each of its steps, and no more when that is used up.
  for (Question& question : graph.question) question.interval = 0;
  Answers answers;
  const Schedule schedule = Simulate(graph, {}, &answers);
  const SimTime end = GpuSpanOf(graph, schedule).end;
  const SimTime last = EndOf(schedule, schedule, end);
  const PerTask<DurationNs> slack = FindSlack(graph, schedule, answers, end);
  for (TaskId task : graph.tasks()) {
    if (slack[task] >= kEndlessSlack) continue;
    INFO("task " << task.value << ", slack " << slack[task]);
    const auto kept = Moved(graph, schedule, task, slack[task]);
    if (!kept) continue;
    CHECK(EndOf(*kept, schedule, end).ns == last.ns);
    CHECK(EndOf(*Moved(graph, schedule, task, slack[task] + 1000), schedule, end).ns > last.ns);
  }
}

}  // namespace xsp::test
