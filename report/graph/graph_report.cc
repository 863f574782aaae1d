#include "report/graph/graph_report.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "graph/interference/interference.h"
#include "hierarchy/names/device_number.h"
#include "report/graph/graph_tables.h"
#include "report/graph/trust_words.h"
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
  Table table("How far the graph can be trusted",
              {{"figure", "figure", ColumnKind::kText, kAlways},
               {"value", "value", ColumnKind::kSentence, kAlways}});
  table.HideHeader();
  table.AddRow({"trust", TrustWords(a.trust)});
  table.AddRow({"tasks", FormatCount(a.host_tasks) + " on the host, " +
                             FormatCount(a.device_tasks) + " on devices"});
  table.AddRow({"GPU span", FormatDuration(a.replay.measured) + " measured, " +
                                FormatDuration(a.replay.simulated) +
                                " replayed: " + Signed(a.replay.error)});
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
  table.AddRow({"cold calls", FormatCount(a.cold_calls) + " with one-time costs" +
                                  (a.one_time > 0 ? " of " + FormatDuration(a.one_time) : "")});
  table.AddRow({"left out", FormatCount(graph.polling_calls) + " polling calls, " +
                                FormatCount(graph.nested_calls) + " nested calls"});
  if (graph.untold_polls > 0) {
    table.AddRow({"polls", FormatCount(graph.untold_polls) +
                               " in loops that may or may not wait: they count as work"});
  }
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

Json CountsJson(const std::array<std::uint32_t, kRuleCount>& counts) {
  Json json = Json::object();
  for (const RuleRow& row : kRuleTable) {
    const std::uint32_t count = counts[IndexOf(row.rule)];
    if (count > 0) json[std::string(row.name)] = count;
  }
  return json;
}

Facts StepFacts(const ReplayError& replay, Rows list) {
  auto known = [](std::uint32_t n, double error) { return n > 0 ? Json(error) : Json(nullptr); };
  return {{"n", replay.steps},
          {"mean_abs_error", known(replay.steps, replay.step_mean_abs_error)},
          {"max_abs_error", known(replay.steps, replay.step_max_abs_error)},
          {"counted_n", replay.counted_steps},
          {"counted_mean_abs_error", known(replay.counted_steps, replay.counted_mean_abs_error)},
          {"counted_max_abs_error", known(replay.counted_steps, replay.counted_max_abs_error)},
          {"list", std::move(list)}};
}

Json LoadersJson(const TaskGraph& graph) {
  Json loaders = Json::array();
  for (const GraphProducer& producer : graph.producers) {
    loaders.push_back({{"range", JsonText(producer.name)},
                       {"loads", producer.loads},
                       {"waited", producer.waited},
                       {"interval_ns", producer.interval},
                       {"speed_known", producer.is_known}});
  }
  return loaders;
}

Json HalvedJson(const HalvingTest& halving) {
  Json frozen = Json::object();
  for (const auto& [rule, share] : halving.frozen) frozen[std::string(NameOf(rule))] = share;
  return {{"gpu_span_share", halving.gpu_span_share}, {"frozen", frozen}};
}

// The tables of a report on a graph.
struct GraphRows {
  Rows steps, interference, unexplained, violated;
};

// People read them in another order than scripts.
void AddFields(const TaskGraph& graph, const GraphAssessment& a, const GraphRows& rows,
               Facts& fields) {
  fields["trust"] = TrustJson(a.trust);
  fields["doubts"] = DoubtsJson(a.trust);
  fields["tasks"] = a.host_tasks + a.device_tasks;
  fields["host_tasks"] = a.host_tasks;
  fields["device_tasks"] = a.device_tasks;
  fields["cold_calls"] = a.cold_calls;
  fields["one_time_ns"] = a.one_time;
  fields["edges"] = CountsJson(a.verification.edges);
  Table constants = ConstantsTable(graph, true);
  constants.KeyBy("constant");
  fields["constants"] = RowsOf(std::move(constants));
  fields["replay"] = {{"measured_ns", a.replay.measured},
                      {"simulated_ns", a.replay.simulated},
                      {"error", a.replay.error},
                      {"whole_span_error", a.replay.whole_span_error},
                      {"steps", StepFacts(a.replay, rows.steps)},
                      {"kernel_start_mae_ns", a.replay.kernel_start_error}};
  fields["halved"] = HalvedJson(a.halving);
  fields["long_calls"] = {{"total_ns", a.long_calls.total},
                          {"explained_ns", a.long_calls.explained}};
  fields["idle"] = {{"total_ns", a.idle.total()},
                    {"explained_ns", a.idle.explained()},
                    {"explained_whole_gaps_ns", a.idle.explained_whole()}};
  const CompanyTime company = MeasuredCompany(graph);
  fields["interference"] = {{"company_ns", company.total},
                            {"learned_ns", company.learned},
                            {"kernels", rows.interference}};
  fields["loaders"] = LoadersJson(graph);
  fields["violations"] = CountsJson(a.verification.violated);
  fields["violated_edges"] = rows.violated;
  fields["unexplained"] = rows.unexplained;
  fields["faults"] = a.verification.faults;
  fields["waits_told_by_times"] = graph.told_waits;
  fields["left_out"] = {{"polling_calls", graph.polling_calls},
                        {"untold_polls", graph.untold_polls},
                        {"nested_calls", graph.nested_calls},
                        {"unlinked_operations", graph.unlinked_ops},
                        {"dropped_waits", graph.dropped_waits}};
}

}  // namespace

Report MakeGraphReport(const TaskGraph& graph, const GraphAssessment& assessment,
                       const TraceSource& source, const Window& window, std::size_t top) {
  Report report("graph", source, GpuWords(*graph.trace), window);
  const auto words = std::make_shared<const TaskWords>(graph);
  report.Show(FiguresTable(graph, assessment));
  report.AddBeside("rules", RulesTable(assessment));
  report.Show(ConstantsTable(graph, false));
  report.AddBesideForScripts("constants", ConstantsTable(graph, true));
  GraphRows rows;
  rows.steps = report.AddBesideForScripts("steps", StepErrorsTable(assessment.replay));
  rows.interference = report.AddBeside("interference", InterferenceTable(graph, top));
  rows.unexplained = report.AddBeside("unexplained", UnexplainedTable(assessment.idle, words, top));
  rows.violated = report.AddBeside("violated_edges",
                                   ViolationsTable(assessment.verification.violations, words, top));
  AddFields(graph, assessment, rows, report.fields);
  return report;
}

}  // namespace xsp
