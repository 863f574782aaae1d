#include "report/graph_report.h"

#include <algorithm>
#include <cmath>

#include "graph/explain.h"
#include "report/devices.h"
#include "report/units.h"

namespace xsp {
namespace {

double Share(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
}

std::string Signed(double share) {
  return (share >= 0 ? "+" : "") + FormatNumber(100 * share, 2) + " %";
}

std::string Verdict(const ReplayError& replay) {
  const double error = std::abs(replay.error);
  if (error <= 0.01) return "this graph can be trusted";
  return error <= 0.03 ? "good enough for large changes" : "do not trust forecasts from it";
}

Table FiguresTable(const TaskGraph& graph, const GraphAssessment& a) {
  Table table("How far the graph can be trusted", {{"figure", "figure"}, {"value", "value"}});
  table.HideHeader();
  table.AddRow({"tasks", FormatCount(graph.host_count()) + " on the host, " +
                             FormatCount(graph.op_count()) + " on devices"});
  table.AddRow({"GPU span", FormatDuration(a.replay.measured) + " measured, " +
                                FormatDuration(a.replay.simulated) +
                                " replayed: " + Signed(a.replay.error) + ", " + Verdict(a.replay)});
  table.AddRow({"whole span", Signed(a.replay.whole_span_error)});
  if (!a.replay.steps.empty()) {
    table.AddRow({"steps", FormatCount(static_cast<std::int64_t>(a.replay.steps.size())) +
                               ", off by " + FormatPercent(a.replay.step_mean_abs_error) +
                               " on average, " + FormatPercent(a.replay.step_max_abs_error) +
                               " at most"});
  }
  table.AddRow({"kernel starts", FormatDuration(a.replay.kernel_start_error) + " off on average"});
  table.AddRow({"calls > 50 us", FormatPercent(Share(a.long_calls.explained, a.long_calls.total)) +
                                     " of " + FormatDuration(a.long_calls.total) +
                                     " explained as waiting"});
  table.AddRow({"idle time", FormatPercent(Share(a.idle.explained(), a.idle.total())) + " of " +
                                 FormatDuration(a.idle.total()) + " explained"});
  const auto cold = std::count_if(graph.flags.begin(), graph.flags.end(),
                                  [](std::uint8_t flags) { return (flags & kCold) != 0; });
  table.AddRow({"cold calls", FormatCount(cold) + ", one-time costs of other runs too"});
  table.AddRow({"left out", FormatCount(graph.polling_calls) + " polling calls, " +
                                FormatCount(graph.nested_calls) + " nested calls"});
  if (graph.unlinked_ops > 0) {
    table.AddRow({"without a call", FormatCount(graph.unlinked_ops) + " operations"});
  }
  for (const std::string& fault : a.verification.faults) table.AddRow({"FAULT", fault});
  return table;
}

Table EdgesTable(const GraphAssessment& a) {
  Table table("Edges", {{"rule", "rule"},
                        {"edges", "edges", ColumnKind::kInt},
                        {"violated", "violated", ColumnKind::kInt},
                        {"kernels halved, rule frozen", "halved_share", ColumnKind::kShare}});
  for (Rule rule : AllRules()) {
    const std::uint32_t edges = a.verification.edges[IndexOf(rule)];
    if (edges == 0) continue;
    Cell frozen;
    for (const auto& [of, share] : a.halving.frozen) {
      if (of == rule) frozen = Cell(share);
    }
    table.AddRow({NameOf(rule), edges, a.verification.violated[IndexOf(rule)], frozen});
  }
  table.AddNote("With every kernel half as long the GPU span is " +
                FormatPercent(a.halving.gpu_span_share) +
                " of the measured one; a rule matters where freezing its waits changes that.");
  return table;
}

Table ConstantsTable(const TaskGraph& graph) {
  Table table("Constants", {{"constant", "constant"},
                            {"value", "value_ns", ColumnKind::kDuration},
                            {"n", "n", ColumnKind::kInt},
                            {"p10", "p10_ns", ColumnKind::kDuration},
                            {"p90", "p90_ns", ColumnKind::kDuration},
                            {"default", "default"}});
  for (const Constant& constant : graph.constants.all()) {
    if (constant.name == "none" || constant.name == "queue_depth") continue;
    const bool has_samples = constant.n > 0;
    table.AddRow({constant.name, constant.value, constant.n,
                  has_samples ? Cell(constant.p10) : Cell(),
                  has_samples ? Cell(constant.p90) : Cell(), constant.is_default ? "default" : ""});
  }
  table.AddNote("The launch queue holds " + FormatCount(graph.queue_depth) + " commands.");
  return table;
}

Table UnexplainedTable(const TaskGraph& graph, const GraphAssessment& a, std::size_t top) {
  Table table("Not explained", {{"unexplained", "unexplained_ns", ColumnKind::kDuration},
                                {"gap", "gap_ns", ColumnKind::kDuration},
                                {"at", "begin_ns", ColumnKind::kDuration},
                                {"task", "task", ColumnKind::kInt},
                                {"before", "before", ColumnKind::kName}});
  std::vector<IdleGap> gaps;
  for (const IdleGap& gap : a.idle.gaps) {
    if (gap.unexplained > 0) gaps.push_back(gap);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const IdleGap& x, const IdleGap& y) {
    return x.unexplained > y.unexplained;
  });
  for (std::size_t i = 0; i < gaps.size() && (top == 0 || i < top); ++i) {
    table.AddRow({gaps[i].unexplained, gaps[i].time.Length(), gaps[i].time.begin,
                  gaps[i].next.value, DescribeTask(graph, gaps[i].next)});
  }
  if (top != 0 && gaps.size() > top) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(gaps.size() - top)) +
                  " more: --top 0");
  }
  table.AddNote("--explain TASK tells why a task began when it did.");
  return table;
}

Json ConstantsJson(const TaskGraph& graph) {
  Json constants = Json::object();
  for (const Constant& constant : graph.constants.all()) {
    if (constant.name == "none") continue;
    const bool has_samples = constant.n > 0;
    constants[constant.name] = {{"value_ns", constant.value},
                                {"n", constant.n},
                                {"p10_ns", has_samples ? Json(constant.p10) : Json(nullptr)},
                                {"p90_ns", has_samples ? Json(constant.p90) : Json(nullptr)},
                                {"default", constant.is_default}};
  }
  return constants;
}

Json FieldsOf(const TaskGraph& graph, const GraphAssessment& a) {
  Json edges = Json::object();
  Json violations = Json::object();
  for (Rule rule : AllRules()) {
    if (const auto n = a.verification.edges[IndexOf(rule)]; n > 0)
      edges[std::string(NameOf(rule))] = n;
    if (const auto n = a.verification.violated[IndexOf(rule)]; n > 0) {
      violations[std::string(NameOf(rule))] = n;
    }
  }
  Json frozen = Json::object();
  for (const auto& [rule, share] : a.halving.frozen) frozen[std::string(NameOf(rule))] = share;
  Json fields = Json::object();
  fields["tasks"] = graph.task_count();
  fields["edges"] = edges;
  fields["constants"] = ConstantsJson(graph);
  fields["replay"] = {{"measured_ns", a.replay.measured},
                      {"simulated_ns", a.replay.simulated},
                      {"error", a.replay.error},
                      {"whole_span_error", a.replay.whole_span_error},
                      {"steps",
                       {{"n", a.replay.steps.size()},
                        {"mean_abs_error", a.replay.step_mean_abs_error},
                        {"max_abs_error", a.replay.step_max_abs_error}}},
                      {"kernel_start_mae_ns", a.replay.kernel_start_error}};
  fields["halved"] = {{"gpu_span_share", a.halving.gpu_span_share}, {"frozen", frozen}};
  fields["long_calls"] = {{"total_ns", a.long_calls.total},
                          {"explained_ns", a.long_calls.explained}};
  fields["idle"] = {{"total_ns", a.idle.total()},
                    {"explained_ns", a.idle.explained()},
                    {"explained_whole_gaps_ns", a.idle.explained_whole()}};
  fields["violations"] = violations;
  fields["faults"] = a.verification.faults;
  fields["left_out"] = {{"polling_calls", graph.polling_calls},
                        {"nested_calls", graph.nested_calls},
                        {"unlinked_operations", graph.unlinked_ops},
                        {"dropped_waits", graph.dropped_waits}};
  return fields;
}

}  // namespace

Report MakeGraphReport(const TaskGraph& graph, const GraphAssessment& assessment,
                       const TraceSource& source, std::size_t top) {
  Report report;
  report.command = "graph";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.sections.emplace_back(FiguresTable(graph, assessment));
  report.sections.emplace_back(EdgesTable(assessment));
  report.sections.emplace_back(ConstantsTable(graph));
  if (assessment.idle.explained() < assessment.idle.total()) {
    report.sections.emplace_back(UnexplainedTable(graph, assessment, top));
  }
  report.fields = FieldsOf(graph, assessment);
  return report;
}

Report MakeExplainReport(const TaskGraph& graph, TaskId task, const TraceSource& source) {
  Answers answers;
  const Schedule replay = Simulate(graph, {}, &answers);
  Report report;
  report.command = "graph";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  Table table("Why " + DescribeTask(graph, task) + " came no earlier",
              {{"", "decides"},
               {"point", "point"},
               {"rule", "rule"},
               {"after", "after_ns", ColumnKind::kDuration},
               {"lag", "lag_ns", ColumnKind::kDuration},
               {"task", "task", ColumnKind::kInt},
               {"of", "of", ColumnKind::kName},
               {"why", "why"}});
  for (const ExplainedEdge& edge : ExplainTask(graph, replay, answers, task)) {
    table.AddRow({edge.binds ? "*" : "", edge.at_finish ? "finish" : "begin", NameOf(edge.rule),
                  edge.since.ns, edge.lag, edge.source.valid() ? Cell(edge.source.value) : Cell(),
                  edge.source.valid() ? Cell(DescribeTask(graph, edge.source)) : Cell(), edge.why});
  }
  table.AddNote("* decided. Simulated times, on the trace's clock.");
  report.fields["task"] = task.value;
  report.fields["what"] = JsonText(DescribeTask(graph, task));
  Json list = Json::array();
  for (const ExplainedEdge& edge : ExplainTask(graph, replay, answers, task)) {
    list.push_back({{"point", edge.at_finish ? "finish" : "begin"},
                    {"rule", NameOf(edge.rule)},
                    {"source", edge.source.valid() ? Json(edge.source.value) : Json(nullptr)},
                    {"after_ns", edge.since.ns},
                    {"lag_ns", edge.lag},
                    {"decides", edge.binds},
                    {"why", edge.why}});
  }
  report.fields["edges"] = list;
  report.sections.emplace_back(std::move(table));
  return report;
}

}  // namespace xsp
