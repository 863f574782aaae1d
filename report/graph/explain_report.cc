#include "report/graph/explain_report.h"

#include "graph/readings/explain.h"
#include "graph/readings/replay.h"
#include "hierarchy/names/device_number.h"
#include "report/graph/task_words.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// As measured and as replayed. To the nanosecond: the trace's clock counts seconds by now.
Table TimesTable(const TaskGraph& graph, const Schedule& replay, TaskId task) {
  Table table("", {{"", "times"},
                   {"begin (ns)", "begin_ns", ColumnKind::kInt},
                   {"finish (ns)", "end_ns", ColumnKind::kInt},
                   {"took", "ns", ColumnKind::kDuration}});
  table.AddRow(
      {"measured", graph.measured_begin[task], graph.measured_end[task], graph.measured(task)});
  table.AddRow({"replayed", replay.begin[task].ns, replay.finish[task].ns,
                replay.finish[task] - replay.begin[task]});
  return table;
}

Table WaitsTable(const TaskWords& words, const Schedule& replay, TaskId task,
                 const std::vector<ExplainedEdge>& edges) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  Table table("What it waited for, in replay",
              {{"", "", ColumnKind::kText, kAlways, 0, kPeople},
               {"", "decides", ColumnKind::kText, 0, 0, kScripts},
               {"point", "point", ColumnKind::kText, kAlways},
               {"rule", "rule", ColumnKind::kText, kAlways},
               {"earlier by", "earlier_ns", ColumnKind::kDuration},
               {"", "after_ns", ColumnKind::kDuration, 0, 0, kScripts},
               {"lag", "lag_ns", ColumnKind::kDuration},
               {"task", "source", ColumnKind::kId, kAlways},
               {"which is", "", ColumnKind::kName, 5, 0, kPeople},
               {"", "source_name", ColumnKind::kName, 0, 0, kScripts},
               {"", "why", ColumnKind::kText, 0, 0, kScripts}});
  for (const ExplainedEdge& edge : edges) {
    const SimTime point = edge.at_finish ? replay.finish[task] : replay.begin[task];
    const bool has_source = edge.source.valid();
    table.AddRow({edge.binds ? "*" : "", edge.binds, edge.at_finish ? "finish" : "begin",
                  NameOf(edge.rule), point - edge.until, edge.since.ns, edge.lag,
                  has_source ? Cell(edge.source.value) : Cell(),
                  has_source ? Cell(words.NameAndPlace(edge.source)) : Cell(),
                  has_source ? Cell(words.Described(edge.source)) : Cell(), edge.why});
  }
  table.AddNote("* decided. The others were satisfied earlier by so much.");
  return table;
}

}  // namespace

Report MakeExplainReport(const TaskGraph& graph, TaskId task, const TraceSource& source) {
  Answers answers;
  const Schedule replay = Simulate(graph, {}, &answers);
  const std::vector<ExplainedEdge> edges = ExplainTask(graph, replay, answers, task);
  const TaskWords words(graph);
  Report report("graph", source, GpuWords(*graph.trace), {});
  report.window.text = "task " + std::to_string(task.value);
  report.Show(words.NameAndPlace(task) + " (" + words.Row(task) + ")");
  report.Show(TimesTable(graph, replay, task));
  const Rows waits = report.AddBeside("edges", WaitsTable(words, replay, task, edges));
  for (const ExplainedEdge& edge : edges) {
    report.Show((edge.binds ? "* " : "  ") + std::string(edge.at_finish ? "finish" : "begin") +
                ", " + std::string(NameOf(edge.rule)) + ": " + edge.why);
  }
  report.fields["task"] = task.value;
  report.fields["what"] = JsonText(words.Described(task));
  report.fields["row"] = words.Row(task);
  report.fields["measured"] = {{"begin_ns", graph.measured_begin[task]},
                               {"end_ns", graph.measured_end[task]}};
  report.fields["simulated"] = {{"begin_ns", replay.begin[task].ns},
                                {"end_ns", replay.finish[task].ns}};
  report.fields["edges"] = waits;
  return report;
}

}  // namespace xsp
