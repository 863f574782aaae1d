#include "report/graph/graph_json.h"

#include "graph/interference/interference.h"
#include "report/graph/graph_tables.h"
#include "report/tables/report.h"

namespace xsp {
namespace {

Json CountsJson(const std::array<std::uint32_t, kRuleCount>& counts) {
  Json json = Json::object();
  for (const RuleRow& row : kRuleTable) {
    const std::uint32_t count = counts[IndexOf(row.rule)];
    if (count > 0) json[std::string(row.name)] = count;
  }
  return json;
}

Json StepsJson(const ReplayError& replay) {
  auto known = [](std::uint32_t n, double error) { return n > 0 ? Json(error) : Json(nullptr); };
  Json steps = {
      {"n", replay.steps},
      {"mean_abs_error", known(replay.steps, replay.step_mean_abs_error)},
      {"max_abs_error", known(replay.steps, replay.step_max_abs_error)},
      {"counted_n", replay.counted_steps},
      {"counted_mean_abs_error", known(replay.counted_steps, replay.counted_mean_abs_error)},
      {"counted_max_abs_error", known(replay.counted_steps, replay.counted_max_abs_error)}};
  steps["list"] = RowsOf("steps");
  return steps;
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

}  // namespace

Json GraphJson(const TaskGraph& graph, const GraphAssessment& a) {
  Json fields = Json::object();
  fields["tasks"] = a.host_tasks + a.device_tasks;
  fields["host_tasks"] = a.host_tasks;
  fields["device_tasks"] = a.device_tasks;
  fields["cold_calls"] = a.cold_calls;
  fields["edges"] = CountsJson(a.verification.edges);
  fields["constants"] = RowsByKeyToJson(ConstantsTable(graph, true), "constant");
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
  const CompanyTime company = MeasuredCompany(graph);
  fields["interference"] = {{"company_ns", company.total},
                            {"learned_ns", company.learned},
                            {"kernels", RowsOf("interference")}};
  fields["loaders"] = LoadersJson(graph);
  fields["violations"] = CountsJson(a.verification.violated);
  fields["violated_edges"] = RowsOf("violated_edges");
  fields["unexplained"] = RowsOf("unexplained");
  fields["faults"] = a.verification.faults;
  fields["waits_told_by_times"] = graph.told_waits;
  fields["left_out"] = {{"polling_calls", graph.polling_calls},
                        {"nested_calls", graph.nested_calls},
                        {"unlinked_operations", graph.unlinked_ops},
                        {"dropped_waits", graph.dropped_waits}};
  return fields;
}

}  // namespace xsp
