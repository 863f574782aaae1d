#include "report/graph/slack_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/quantile.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

struct Group {
  std::vector<DurationNs> slack;
  std::uint32_t without = 0;  // Tasks that have none.
  DurationNs own = 0;
};

struct Row {
  std::string name;
  Group group;
  DurationNs median = 0;
};

std::vector<Row> GroupedByName(const TaskGraph& graph, const TaskPlaces& places,
                               const PathAnalysis& analysis) {
  std::map<std::string, Group> groups;
  for (TaskId task : graph.tasks()) {
    if (!analysis.unit.time.Contains(TraceBegin(graph, task))) continue;
    Group& group = groups[GroupName(graph, places, task)];
    group.slack.push_back(analysis.slack[task]);
    group.without += analysis.slack[task] <= 0;
    group.own += graph.own[task];
  }
  std::vector<Row> rows;
  for (auto& [name, group] : groups) {
    const DurationNs median = UpperMedian(group.slack);
    rows.push_back({name, std::move(group), median});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.median, -a.group.own) < std::pair(b.median, -b.group.own);
  });
  return rows;
}

Cell SlackCell(DurationNs slack) { return slack < kEndlessSlack ? Cell(slack) : Cell(); }

}  // namespace

Table SlackTable(const TaskGraph& graph, const PathAnalysis& analysis) {
  std::vector<TaskId> tasks;
  for (TaskId task : graph.tasks()) {
    if (analysis.unit.time.Contains(TraceBegin(graph, task))) tasks.push_back(task);
  }
  Table table("Slack of every task",
              {{"task", "task", ColumnKind::kId}, {"slack", "slack_ns", ColumnKind::kDuration}});
  const std::size_t count = tasks.size();
  table.SetRows(count, [tasks = std::move(tasks), &analysis](std::size_t i) {
    return std::vector<Cell>{tasks[i].value, SlackCell(analysis.slack[tasks[i]])};
  });
  return table;
}

Table SlackByNameTable(const TaskGraph& graph, const TaskPlaces& places,
                       const PathAnalysis& analysis, std::size_t top) {
  Table table("Slack: how much longer it could take without the end moving",
              {{"what", "name", ColumnKind::kName, kAlways},
               {"tasks", "tasks", ColumnKind::kInt},
               {"without slack", "without_slack", ColumnKind::kInt},
               {"own time", "own_ns", ColumnKind::kDuration, 3},
               {"least", "least_slack_ns", ColumnKind::kDuration},
               {"median", "median_slack_ns", ColumnKind::kDuration}});
  const std::vector<Row> rows = GroupedByName(graph, places, analysis);
  const UnitMeans means = UnitMeans::OfRun(analysis.unit);
  for (const Row& row : rows) {
    const Group& group = row.group;
    const DurationNs least = *std::min_element(group.slack.begin(), group.slack.end());
    table.AddRow({row.name, means.Count(static_cast<std::uint32_t>(group.slack.size())),
                  means.Count(group.without), analysis.unit.MeanOfRun(group.own), SlackCell(least),
                  SlackCell(row.median)});
  }
  table.ShowFirst(top, " more with more slack: --top 0");
  table.AddNote("Every task's slack: --format json. '-': nothing in this part waits for it.");
  return table;
}

}  // namespace xsp
