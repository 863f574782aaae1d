#include "report/graph_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "report/interference_report.h"
#include "report/task_words.h"

namespace xsp {
namespace {

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

Json CountsJson(const std::array<std::uint32_t, kRuleCount>& counts) {
  Json json = Json::object();
  for (Rule rule : AllRules()) {
    if (counts[IndexOf(rule)] > 0) json[std::string(NameOf(rule))] = counts[IndexOf(rule)];
  }
  return json;
}

Json StepsJson(const ReplayError& replay) {
  auto known = [](std::uint32_t n, double error) { return n > 0 ? Json(error) : Json(nullptr); };
  Json steps = {{"n", replay.steps},
                {"mean_abs_error", known(replay.steps, replay.step_mean_abs_error)},
                {"max_abs_error", known(replay.steps, replay.step_max_abs_error)},
                {"steady_n", replay.steady_steps},
                {"steady_mean_abs_error", known(replay.steady_steps, replay.steady_mean_abs_error)},
                {"steady_max_abs_error", known(replay.steady_steps, replay.steady_max_abs_error)}};
  Json list = Json::array();
  for (const StepError& step : replay.step_errors) {
    list.push_back({{"step", step.step + 1},
                    {"cold", step.cold},
                    {"measured_ns", step.measured},
                    {"simulated_ns", step.simulated},
                    {"error", step.error}});
  }
  steps["list"] = list;
  return steps;
}

Json HalvedJson(const HalvingTest& halving) {
  Json frozen = Json::object();
  for (const auto& [rule, share] : halving.frozen) frozen[std::string(NameOf(rule))] = share;
  return {{"gpu_span_share", halving.gpu_span_share}, {"frozen", frozen}};
}

// Gaps and edges may be a million: rows are made when they are written.
Table UnexplainedRows(const IdleReport& idle, std::shared_ptr<const TaskWords> words) {
  Table table("unexplained", {{"", "unexplained_ns", ColumnKind::kDuration},
                              {"", "begin_ns", ColumnKind::kDuration},
                              {"", "end_ns", ColumnKind::kDuration},
                              {"", "device", ColumnKind::kInt},
                              {"", "task", ColumnKind::kId},
                              {"", "name", ColumnKind::kName},
                              {"", "row", ColumnKind::kName}});
  std::vector<IdleGap> gaps = UnexplainedGaps(idle);
  const std::size_t count = gaps.size();
  table.SetRows(count, [numbers = idle.numbers(), words = std::move(words),
                        gaps = std::move(gaps)](std::size_t i) {
    const IdleGap& gap = gaps[i];
    return std::vector<Cell>{gap.unexplained,     gap.time.begin, gap.time.end,
                             numbers[gap.device], gap.next.value, words->Described(gap.next),
                             words->Row(gap.next)};
  });
  return table;
}

Table ViolatedRows(std::vector<Violation> violations, std::shared_ptr<const TaskWords> words) {
  Table table("violated_edges", {{"", "rule", ColumnKind::kText},
                                 {"", "early_ns", ColumnKind::kDuration},
                                 {"", "task", ColumnKind::kId},
                                 {"", "name", ColumnKind::kName},
                                 {"", "row", ColumnKind::kName},
                                 {"", "source", ColumnKind::kId},
                                 {"", "source_name", ColumnKind::kName},
                                 {"", "source_row", ColumnKind::kName}});
  const std::size_t count = violations.size();
  table.SetRows(count, [words = std::move(words), list = std::move(violations)](std::size_t i) {
    const Violation& violation = list[i];
    return std::vector<Cell>{NameOf(violation.rule),
                             violation.by,
                             violation.task.value,
                             words->Described(violation.task),
                             words->Row(violation.task),
                             violation.source.value,
                             words->Described(violation.source),
                             words->Row(violation.source)};
  });
  return table;
}

}  // namespace

std::vector<IdleGap> UnexplainedGaps(const IdleReport& idle) {
  std::vector<IdleGap> gaps;
  for (const IdleGap& gap : idle.gaps) {
    if (gap.unexplained > 0) gaps.push_back(gap);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const IdleGap& a, const IdleGap& b) {
    return a.unexplained > b.unexplained;
  });
  return gaps;
}

void AddGraphFields(const TaskGraph& graph, const GraphAssessment& a, Report& report) {
  const auto words = std::make_shared<const TaskWords>(graph);
  Json& fields = report.fields;
  fields["tasks"] = a.host_tasks + a.device_tasks;
  fields["host_tasks"] = a.host_tasks;
  fields["device_tasks"] = a.device_tasks;
  fields["cold_calls"] = a.cold_calls;
  fields["edges"] = CountsJson(a.verification.edges);
  fields["constants"] = ConstantsJson(graph);
  fields["replay"] = {
      {"measured_ns", a.replay.measured}, {"simulated_ns", a.replay.simulated},
      {"error", a.replay.error},          {"whole_span_error", a.replay.whole_span_error},
      {"steps", StepsJson(a.replay)},     {"kernel_start_mae_ns", a.replay.kernel_start_error}};
  fields["halved"] = HalvedJson(a.halving);
  fields["long_calls"] = {{"total_ns", a.long_calls.total},
                          {"explained_ns", a.long_calls.explained}};
  fields["idle"] = {{"total_ns", a.idle.total()},
                    {"explained_ns", a.idle.explained()},
                    {"explained_whole_gaps_ns", a.idle.explained_whole()}};
  fields["interference"] = InterferenceJson(graph);
  fields["violations"] = CountsJson(a.verification.violated);
  fields["violated_edges"] = report.AddRows(ViolatedRows(a.verification.violations, words));
  fields["unexplained"] = report.AddRows(UnexplainedRows(a.idle, words));
  fields["faults"] = a.verification.faults;
  fields["left_out"] = {{"polling_calls", graph.polling_calls},
                        {"nested_calls", graph.nested_calls},
                        {"unlinked_operations", graph.unlinked_ops},
                        {"dropped_waits", graph.dropped_waits}};
}

}  // namespace xsp
