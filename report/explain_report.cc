#include "report/explain_report.h"

#include "graph/explain.h"
#include "graph/replay.h"
#include "report/devices.h"
#include "report/task_words.h"
#include "report/units.h"

namespace xsp {
namespace {

// As measured and as replayed. To the nanosecond: the trace's clock counts seconds by now.
Table TimesTable(const TaskGraph& graph, const Schedule& replay, TaskId task) {
  Table table("", {{"", "times"},
                   {"begin (ns)", "begin_ns", ColumnKind::kInt},
                   {"finish (ns)", "finish_ns", ColumnKind::kInt},
                   {"took", "ns", ColumnKind::kDuration}});
  table.AddRow(
      {"measured", graph.measured_begin[task], graph.measured_end[task], graph.measured(task)});
  table.AddRow({"replayed", replay.begin[task].ns, replay.finish[task].ns,
                replay.finish[task] - replay.begin[task]});
  return table;
}

Table EdgesTable(const TaskWords& words, const Schedule& replay, TaskId task,
                 const std::vector<ExplainedEdge>& edges) {
  Table table("What it waited for, in replay", {{"", "decides", ColumnKind::kText, kAlways},
                                                {"point", "point", ColumnKind::kText, kAlways},
                                                {"rule", "rule", ColumnKind::kText, kAlways},
                                                {"earlier by", "earlier_ns", ColumnKind::kDuration},
                                                {"lag", "lag_ns", ColumnKind::kDuration},
                                                {"task", "task", ColumnKind::kId, kAlways},
                                                {"which is", "source", ColumnKind::kName}});
  for (const ExplainedEdge& edge : edges) {
    const SimTime point = edge.at_finish ? replay.finish[task] : replay.begin[task];
    table.AddRow({edge.binds ? "*" : "", edge.at_finish ? "finish" : "begin", NameOf(edge.rule),
                  point - edge.until, edge.lag,
                  edge.source.valid() ? Cell(edge.source.value) : Cell(),
                  edge.source.valid() ? Cell(words.NameAndPlace(edge.source)) : Cell()});
  }
  table.AddNote("* decided. The others were satisfied earlier by so much.");
  return table;
}

Json EdgesJson(const TaskWords& words, const std::vector<ExplainedEdge>& edges) {
  Json list = Json::array();
  for (const ExplainedEdge& edge : edges) {
    list.push_back({{"point", edge.at_finish ? "finish" : "begin"},
                    {"rule", NameOf(edge.rule)},
                    {"source", edge.source.valid() ? Json(edge.source.value) : Json(nullptr)},
                    {"source_name",
                     edge.source.valid() ? JsonText(words.Described(edge.source)) : Json(nullptr)},
                    {"after_ns", edge.since.ns},
                    {"lag_ns", edge.lag},
                    {"decides", edge.binds},
                    {"why", edge.why}});
  }
  return list;
}

}  // namespace

Report MakeExplainReport(const TaskGraph& graph, TaskId task, const TraceSource& source) {
  Answers answers;
  const Schedule replay = Simulate(graph, {}, &answers);
  const std::vector<ExplainedEdge> edges = ExplainTask(graph, replay, answers, task);
  const TaskWords words(graph);
  Report report;
  report.command = "graph";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.window.text = "task " + std::to_string(task.value);
  report.sections.emplace_back(words.NameAndPlace(task) + " (" + words.Row(task) + ")");
  report.sections.emplace_back(TimesTable(graph, replay, task));
  report.sections.emplace_back(EdgesTable(words, replay, task, edges));
  for (const ExplainedEdge& edge : edges) {
    report.sections.emplace_back((edge.binds ? "* " : "  ") +
                                 std::string(edge.at_finish ? "finish" : "begin") + ", " +
                                 std::string(NameOf(edge.rule)) + ": " + edge.why);
  }
  report.fields["task"] = task.value;
  report.fields["what"] = JsonText(words.Described(task));
  report.fields["row"] = words.Row(task);
  report.fields["measured"] = {{"begin_ns", graph.measured_begin[task]},
                               {"end_ns", graph.measured_end[task]}};
  report.fields["simulated"] = {{"begin_ns", replay.begin[task].ns},
                                {"end_ns", replay.finish[task].ns}};
  report.fields["edges"] = EdgesJson(words, edges);
  return report;
}

}  // namespace xsp
