#include "report/graph/graph_report.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "report/graph/graph_json.h"
#include "report/graph/graph_tables.h"
#include "report/graph/interference_report.h"
#include "report/graph/replay_words.h"
#include "report/summary/devices.h"
#include "report/tables/units.h"

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
                     std::to_string(worst->step + 1) +
                     (worst->role == StepRole::kCold ? ", cold)" : ")");
  if (replay.counted_steps > 0 && replay.counted_steps < replay.steps) {
    text += "; the " + FormatCount(replay.counted_steps) + " counted ones by " +
            percent(replay.counted_mean_abs_error);
  }
  return text;
}

// Whether who makes data ready decides, and how fast that is.
std::string LoaderWords(const GraphProducer& producer) {
  const std::string waited =
      FormatCount(producer.waited) + " of " + FormatCount(producer.loads) + " loads waited for it";
  if (producer.is_known) {
    return waited + ": a batch every " + FormatDuration(producer.interval) + ", on average";
  }
  return waited + ": how fast it could be is not known";
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
  for (const GraphProducer& producer : graph.producers) {
    table.AddRow({"data loader", LoaderWords(producer)});
  }
  table.AddRow({"cold calls", FormatCount(a.cold_calls) + " with one-time costs"});
  table.AddRow({"left out", FormatCount(graph.polling_calls) + " polling calls, " +
                                FormatCount(graph.nested_calls) + " nested calls"});
  if (graph.unlinked_ops > 0) {
    table.AddRow({"without a call", FormatCount(graph.unlinked_ops) + " operations"});
  }
  if (graph.told_waits > 0) {
    table.AddRow({"unrecorded events", FormatCount(graph.told_waits) +
                                           " waits of streams, told by the times of operations"});
  }
  for (const std::string& fault : a.verification.faults) table.AddRow({"FAULT", fault});
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
  const auto words = std::make_shared<const TaskWords>(graph);
  report.sections.emplace_back(FiguresTable(graph, assessment));
  report.Add("rules", RulesTable(assessment));
  report.sections.emplace_back(ConstantsTable(graph, false));
  report.AddForScripts("constants", ConstantsTable(graph, true));
  report.AddForScripts("steps", StepErrorsTable(assessment.replay));
  report.Add("interference", InterferenceTable(graph, top));
  report.Add("unexplained", UnexplainedTable(assessment.idle, words, top));
  report.Add("violated_edges", ViolationsTable(assessment.verification.violations, words, top));
  report.fields = GraphJson(graph, assessment);
  return report;
}

}  // namespace xsp
