#include "report/graph_report.h"

#include <algorithm>
#include <cmath>

#include "report/devices.h"
#include "report/graph_json.h"
#include "report/interference_report.h"
#include "report/replay_words.h"
#include "report/task_words.h"
#include "report/units.h"

namespace xsp {
namespace {

std::string Signed(double share) {
  const std::string number = FormatNumber(100 * std::abs(share), 2);
  if (number == "0.00") return "0.00 %";
  return (share < 0 ? "-" : "+") + number + " %";
}

// "64.1 % of 1.635 s", or that there is none.
std::string PartOf(DurationNs part, DurationNs whole, const std::string& what) {
  if (whole == 0) return "none";
  return FormatPercent(static_cast<double>(part) / static_cast<double>(whole)) + " of " +
         FormatDuration(whole) + " " + what;
}

// ", this graph can be trusted"; nothing for a graph that was taken apart.
std::string Verdict(const GraphAssessment& a) {
  const double error = std::abs(a.replay.error);
  if (a.ignored_rules != 0) return "";
  if (error > 0.03) return ", do not trust forecasts from it";
  return (error <= 0.01 ? ", this graph can be trusted" : ", good enough for large changes") +
         FewOperationsWords(a.device_tasks);
}

std::string StepWords(const ReplayError& replay) {
  const auto worst = std::max_element(
      replay.step_errors.begin(), replay.step_errors.end(),
      [](const StepError& a, const StepError& b) { return std::abs(a.error) < std::abs(b.error); });
  auto percent = [](double error) { return FormatNumber(100 * error, 2) + " %"; };
  std::string text = FormatCount(replay.steps) + ", off by " + percent(replay.step_mean_abs_error) +
                     " on average, " + percent(replay.step_max_abs_error) + " at most (step " +
                     std::to_string(worst->step + 1) + (worst->cold ? ", cold)" : ")");
  if (replay.steady_steps > 0 && replay.steady_steps < replay.steps) {
    text += "; the " + FormatCount(replay.steady_steps) + " steady ones by " +
            percent(replay.steady_mean_abs_error);
  }
  return text;
}

Table FiguresTable(const TaskGraph& graph, const GraphAssessment& a) {
  Table table("How far the graph can be trusted", {{"figure", "figure"}, {"value", "value"}});
  table.HideHeader();
  table.AddRow({"tasks", FormatCount(a.host_tasks) + " on the host, " +
                             FormatCount(a.device_tasks) + " on devices"});
  table.AddRow({"GPU span", FormatDuration(a.replay.measured) + " measured, " +
                                FormatDuration(a.replay.simulated) +
                                " replayed: " + Signed(a.replay.error) + Verdict(a)});
  table.AddRow({"whole span", Signed(a.replay.whole_span_error)});
  if (a.replay.steps > 0) table.AddRow({"steps", StepWords(a.replay)});
  table.AddRow({"kernel starts", FormatDuration(a.replay.kernel_start_error) + " off on average"});
  if (a.ignored_rules == 0) {  // These speak of the whole graph.
    table.AddRow({"kernels halved", "the GPU span becomes " +
                                        FormatPercent(a.halving.gpu_span_share) +
                                        " of the measured one"});
    table.AddRow({"calls > 50 us",
                  PartOf(a.long_calls.explained, a.long_calls.total, "explained as waiting")});
    table.AddRow({"idle time", PartOf(a.idle.explained(), a.idle.total(), "explained")});
  }
  table.AddRow({"cold calls", FormatCount(a.cold_calls) + " with one-time costs"});
  table.AddRow({"left out", FormatCount(graph.polling_calls) + " polling calls, " +
                                FormatCount(graph.nested_calls) + " nested calls"});
  if (graph.unlinked_ops > 0) {
    table.AddRow({"without a call", FormatCount(graph.unlinked_ops) + " operations"});
  }
  for (const std::string& fault : a.verification.faults) table.AddRow({"FAULT", fault});
  return table;
}

Table EdgesTable(const GraphAssessment& a) {
  Table table("Edges", {{"rule", "rule", ColumnKind::kText, kAlways},
                        {"edges", "edges", ColumnKind::kInt},
                        {"violated", "violated", ColumnKind::kInt},
                        {"halved, rule frozen", "halved_share", ColumnKind::kShare}});
  for (Rule rule : AllRules()) {
    const std::uint32_t edges = a.verification.edges[IndexOf(rule)];
    if (edges == 0) continue;
    Cell frozen;
    for (const auto& [of, share] : a.halving.frozen) {
      if (of == rule) frozen = Cell(share);
    }
    table.AddRow({NameOf(rule), edges, a.verification.violated[IndexOf(rule)], frozen});
  }
  table.AddNote(
      "Frozen: waits of the rule are kept as host work while kernels take half as long. Where");
  table.AddNote("that is more than " + FormatPercent(a.halving.gpu_span_share) +
                ", forecasts from this trace need the rule.");
  return table;
}

Table ConstantsTable(const TaskGraph& graph) {
  Table table("Constants", {{"constant", "constant", ColumnKind::kText, kAlways},
                            {"value", "value_ns", ColumnKind::kDuration, kAlways},
                            {"n", "n", ColumnKind::kInt},
                            {"p10", "p10_ns", ColumnKind::kDuration},
                            {"p90", "p90_ns", ColumnKind::kDuration},
                            {"", "default"}});
  for (const Constant& constant : graph.constants.all()) {
    if (constant.name == "none" || constant.name == "queue_depth") continue;
    const bool has_samples = constant.n > 0;
    table.AddRow({constant.name, constant.value, constant.n,
                  has_samples ? Cell(constant.p10) : Cell(),
                  has_samples ? Cell(constant.p90) : Cell(), constant.is_default ? "default" : ""});
  }
  table.AddNote("The launch queue holds " + FormatCount(graph.queue_depth) +
                " commands. default: fewer than " + std::to_string(kMinSamples) +
                " samples in this trace.");
  return table;
}

void AddRest(Table& table, std::size_t count, std::size_t top) {
  if (top == 0 || count <= top) return;
  table.AddNote("and " + FormatCount(static_cast<std::int64_t>(count - top)) + " more: --top 0");
}

Table UnexplainedTable(const std::vector<IdleGap>& gaps, const TaskWords& words, std::size_t top) {
  Table table("Idle time that is not explained",
              {{"unexplained", "unexplained_ns", ColumnKind::kDuration, kAlways},
               {"of a gap of", "gap_ns", ColumnKind::kDuration, 3},
               {"task", "task", ColumnKind::kId, kAlways},
               {"that began late or early", "name", ColumnKind::kName},
               {"row", "row", ColumnKind::kName, 4}});
  for (std::size_t i = 0; i < gaps.size() && (top == 0 || i < top); ++i) {
    table.AddRow({gaps[i].unexplained, gaps[i].time.Length(), gaps[i].next.value,
                  words.NameAndPlace(gaps[i].next), words.Row(gaps[i].next)});
  }
  AddRest(table, gaps.size(), top);
  table.AddNote("xsp graph TRACE --explain TASK tells why a task began when it did.");
  return table;
}

Table ViolationsTable(const std::vector<Violation>& violations, const TaskWords& words,
                      std::size_t top) {
  Table table("Violated edges", {{"too early by", "early_ns", ColumnKind::kDuration, kAlways},
                                 {"rule", "rule", ColumnKind::kText, kAlways},
                                 {"task", "task", ColumnKind::kId, kAlways},
                                 {"that should have waited", "name", ColumnKind::kName},
                                 {"row", "row", ColumnKind::kName, 4},
                                 {"for", "source", ColumnKind::kId, 3},
                                 {"which is", "source_name", ColumnKind::kName, 3}});
  for (std::size_t i = 0; i < violations.size() && (top == 0 || i < top); ++i) {
    const Violation& violation = violations[i];
    table.AddRow({violation.by, NameOf(violation.rule), violation.task.value,
                  words.NameAndPlace(violation.task), words.Row(violation.task),
                  violation.source.value, words.NameAndPlace(violation.source)});
  }
  AddRest(table, violations.size(), top);
  return table;
}

}  // namespace

Report MakeGraphReport(const TaskGraph& graph, const GraphAssessment& assessment,
                       const TraceSource& source, const Window& window, std::size_t top) {
  Report report;
  report.command = "graph";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.window = window;
  const TaskWords words(graph);
  report.sections.emplace_back(FiguresTable(graph, assessment));
  report.sections.emplace_back(EdgesTable(assessment));
  report.sections.emplace_back(ConstantsTable(graph));
  if (!graph.slowdowns.empty()) report.sections.emplace_back(InterferenceTable(graph, top));
  const std::vector<IdleGap> unexplained = UnexplainedGaps(assessment.idle);
  if (!unexplained.empty()) {
    report.sections.emplace_back(UnexplainedTable(unexplained, words, top));
  }
  if (!assessment.verification.violations.empty()) {
    report.sections.emplace_back(ViolationsTable(assessment.verification.violations, words, top));
  }
  AddGraphFields(graph, assessment, report);
  return report;
}

}  // namespace xsp
