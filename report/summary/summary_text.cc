#include "report/summary/summary_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/tables/json.h"

namespace xsp {
namespace {

Json ToJson(const std::optional<MissingData>& missing) {
  return missing ? Json{missing->what, missing->flag} : Json(nullptr);
}

Json ToJson(const Window& window) {
  Json json = {{"text", window.text}};
  json["time"] = window.time ? Json{window.time->begin, window.time->end} : Json(nullptr);
  return json;
}

Json ToJson(const CountedSteps& steps) {
  Json left_out = Json::array();
  for (const auto& [step, reason] : steps.left_out) {
    left_out.push_back({step, static_cast<unsigned>(reason)});
  }
  return {{"found", steps.found},
          {"counted", steps.counted},
          {"cold", steps.cold},
          {"outliers", steps.outliers},
          {"left_out", std::move(left_out)},
          {"late_one_time", steps.late_one_time},
          {"two_speeds", steps.two_speeds},
          {"typical_ns", steps.typical},
          {"warm_mean_ns", steps.warm_mean},
          {"spread", steps.spread},
          {"cold_ns", steps.cold_ns},
          {"outlier_ns", steps.outlier_ns}};
}

Json ToJson(const Unit& unit) {
  return {{"is_step", unit.is_step},       {"first_step", unit.first_step},
          {"step_count", unit.step_count}, {"period", unit.period},
          {"measured_ns", unit.measured},  {"steps", ToJson(unit.steps)}};
}

Json ToJson(const DeviceWork& device) {
  Json rows = Json::array();
  for (const WorkRow& row : device.rows) {
    rows.push_back({static_cast<unsigned>(row.kind), row.what, row.ns, row.count, row.bytes});
  }
  return {{"number", device.number}, {"name", device.name}, {"rows", std::move(rows)}};
}

Json ToJson(const DeviceIdle& device) {
  Json causes = Json::array();
  for (const IdleTime& time : device.causes) causes.push_back({time.ns, time.count});
  return {{"number", device.number},
          {"busy_ns", device.busy},
          {"idle_ns", device.idle},
          {"causes", std::move(causes)}};
}

Json ToJson(const SummaryKernel& row) {
  return {row.device,
          row.name,
          row.count,
          row.total_ns,
          row.mean_ns,
          row.longest_ns,
          row.full_name,
          row.blocks,
          NameOf(row.kernel_class),
          NameOf(row.precision),
          JsonOrNull(row.flops),
          JsonOrNull(row.peak_flop_rate)};
}

Json ToJson(const Habit& habit) {
  return {habit.rule->name, habit.count, habit.ns, JsonOrNull(habit.gain)};
}

template <class T>
Json ListToJson(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& item : list) json.push_back(ToJson(item));
  return json;
}

Json ToJson(const Summary& summary) {
  return {{"gpus", summary.gpus},
          {"program_ns", JsonOrNull(summary.program)},
          {"gpu_span_ns", JsonOrNull(summary.gpu_span)},
          {"multiprocessors", summary.multiprocessors},
          {"format", summary.format},
          {"missing", ToJson(summary.missing)},
          {"window", ToJson(summary.window)},
          {"unit", ToJson(summary.unit)},
          {"device_work", ListToJson(summary.work)},
          {"length_ns", summary.idle.length},
          {"idle", ListToJson(summary.idle.devices)},
          {"kernels", ListToJson(summary.kernels)},
          {"habits", ListToJson(summary.habits)}};
}

// JSON has no word for these: they would come back as unknown.
bool AllFinite(const Summary& summary) {
  const auto is_finite = [](const std::optional<double>& v) {
    return std::isfinite(v.value_or(0));
  };
  return std::isfinite(summary.unit.steps.spread) &&
         std::all_of(summary.kernels.begin(), summary.kernels.end(),
                     [&](const SummaryKernel& row) {
                       return is_finite(row.flops) && is_finite(row.peak_flop_rate);
                     }) &&
         std::all_of(summary.habits.begin(), summary.habits.end(),
                     [&](const Habit& habit) { return is_finite(habit.gain); });
}

}  // namespace

std::optional<std::string> TextOf(const Summary& summary) {
  if (!AllFinite(summary)) return std::nullopt;
  try {
    std::string text = ToJson(summary).dump() + "\n";  // Throws for what is no UTF-8.
    if (!SummaryFromText(text)) return std::nullopt;
    return text;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace xsp
