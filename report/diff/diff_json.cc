#include "report/diff/diff_json.h"

#include <cmath>

#include "report/diff/diff_tables.h"
#include "report/tables/report.h"

namespace xsp {
namespace {

Json TextsJson(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(JsonText(text));
  return list;
}

Json AcceptedJson(const std::optional<AcceptedChange>& accepted) {
  if (!accepted) return nullptr;
  return {{"what", JsonText(accepted->what)}, {"change", accepted->change},
          {"unit", NameOf(accepted->unit)},   {"reason", JsonText(accepted->reason)},
          {"recorded", accepted->recorded},   {"until", JsonOrNull(accepted->until)}};
}

Json GatesJson(const Comparison& c) {
  Json gates = TableRowsToJson(GateTable(c));
  for (std::size_t i = 0; i < c.gates.size(); ++i) {
    gates[i]["accepted"] = AcceptedJson(c.gates[i].accepted);
  }
  return gates;
}

Json SideJson(const Side& side) {
  const StepCounts steps = side.steps();
  Json runs = Json::array();
  for (const Run& run : side.runs()) {
    runs.push_back({{"path", JsonText(run.name)},
                    {"samples_ns", run.unit_ns},
                    {"counted", run.steps.counted.size()},
                    {"found", run.steps.found}});
  }
  return {{"steps",
           {{"found", steps.found},
            {"counted", steps.counted},
            {"cold", steps.cold},
            {"outliers", steps.outliers},
            {"left_out", steps.left_out}}},
          {"warm_mean_ns", std::llround(side.WarmMean())},
          {"runs", std::move(runs)}};
}

Json StatisticsJson(const Estimate& e) {
  return {{"confidence", 0.95},
          {"base_median_ns", std::llround(e.base_median)},
          {"new_median_ns", std::llround(e.now_median)},
          {"rank_test_p", JsonOrNull(e.rank_p)},
          {"noise_base", JsonOrNull(e.base_noise)},
          {"noise_new", JsonOrNull(e.now_noise)},
          {"noise_between_runs", JsonOrNull(e.run_noise)},
          {"floor", e.floor},
          {"resolution", e.resolution},
          {"samples_wanted", e.wanted > 0 ? Json(e.wanted) : Json(nullptr)}};
}

}  // namespace

Json DiffJson(const Comparison& c) {
  Json fields = Json::object();
  fields["comparable"] = c.comparable;
  fields["reasons"] = TextsJson(c.reasons);
  fields["warnings"] = TextsJson(c.warnings);
  fields["verdict"] = NameOf(c.verdict);
  fields["unit"] = c.is_step ? "step" : "span";
  fields["base_ns"] = c.base_ns();
  fields["new_ns"] = c.now_ns();
  fields["ratio"] = JsonOrNull(c.unit.ratio);
  fields["ratio_low"] = c.unit.interval ? Json(c.unit.interval->low) : Json(nullptr);
  fields["ratio_high"] = c.unit.interval ? Json(c.unit.interval->high) : Json(nullptr);
  fields["statistics"] = StatisticsJson(c.unit);
  fields["base_side"] = SideJson(*c.base);
  fields["new_side"] = SideJson(*c.now);
  fields["contributions"] = RowsOf("contributions");
  fields["matched"] = c.kernels.matched;
  fields["added"] = c.kernels.added;
  fields["removed"] = c.kernels.removed;
  fields["renamed"] = c.kernels.renamed;
  fields["moved"] = c.kernels.moved;
  fields["device_sum"] = {{"matched_base_ns", std::llround(c.accounting.matched_base)},
                          {"matched_new_ns", std::llround(c.accounting.matched_now)},
                          {"removed_ns", std::llround(c.accounting.removed)},
                          {"added_ns", std::llround(c.accounting.added)}};
  fields["changes"] = RowsOf("changes");
  fields["changes_found"] = c.changes.size();
  fields["gates"] = GatesJson(c);
  return fields;
}

}  // namespace xsp
