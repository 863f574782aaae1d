#include "report/tables/step_set_json.h"

namespace xsp {
namespace {

// Counted from 1, as --steps takes them.
Json NumbersToJson(const std::vector<std::uint32_t>& steps) {
  Json numbers = Json::array();
  for (std::uint32_t step : steps) numbers.push_back(step + 1);
  return numbers;
}

}  // namespace

Json StepSetToJson(const CountedSteps& steps) {
  if (steps.empty()) return nullptr;
  Json left_out = Json::array();
  for (const auto& [step, reason] : steps.left_out) {
    left_out.push_back({{"step", step + 1}, {"reason", NameOf(reason)}});
  }
  // What runs while the steps do, and none of them waits for.
  Json beside = Json::array();
  for (const WorkBeside& work : steps.beside) {
    beside.push_back({{"what", work.name}, {"gpu_ns", work.gpu_ns}, {"has_steps", work.has_steps}});
  }
  return {{"found", steps.found},
          {"cold", NumbersToJson(steps.cold)},
          {"left_out", std::move(left_out)},
          {"outliers", NumbersToJson(steps.outliers)},
          {"counted", NumbersToJson(steps.counted)},
          {"with_one_time_costs", NumbersToJson(steps.late_one_time)},
          {"two_speeds", steps.two_speeds},
          {"typical_ns", steps.typical},
          {"warm_mean_ns", steps.warm_mean},
          {"one_time_ns", steps.one_time},
          {"spread", steps.spread},
          {"between_steps_ns", steps.between},
          {"between_steps", steps.between_what.empty() ? Json() : Json(steps.between_what)},
          {"with_between_ns", steps.WithBetween()},
          {"gpu_ns", steps.gpu_ns},
          {"beside", std::move(beside)},
          {"kind", steps.kind.empty() ? Json() : Json(steps.kind)}};
}

void AddUnitFields(const Unit& unit, Facts& fields) {
  fields["unit"] = unit.is_step ? "step" : "span";
  fields["unit_steps"] = nullptr;
  if (unit.is_step) {
    fields["unit_steps"] = {
        {"first", unit.first_step + 1}, {"last", unit.end_step()}, {"period", unit.period}};
  }
  fields["one_time_ns"] = unit.OneTime();
  fields["step_set"] = StepSetToJson(unit.steps);
}

}  // namespace xsp
