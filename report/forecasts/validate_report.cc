#include <algorithm>
#include <cmath>
#include <span>

#include "report/forecasts/forecast_parts.h"
#include "report/forecasts/whatif_report.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

Table PairsTable(const std::vector<ValidatedPair>& pairs) {
  Table table("Forecasts against runs",
              {{"", "pair", ColumnKind::kId, 0, 0, Readers::kScripts},
               {"before", "before", ColumnKind::kName, 7},
               {"after", "after", ColumnKind::kName, 4},
               {"what-if", "whatif", ColumnKind::kText, kAlways},
               {"unit", "unit", ColumnKind::kText, 3},
               {"before", "measured_before_ns", ColumnKind::kDuration, 8},
               {"after", "measured_after_ns", ColumnKind::kDuration, kAlways},
               {"forecast", "forecast_ns", ColumnKind::kDuration, kAlways},
               {"error", "error", ColumnKind::kShare, kAlways},
               {"", "naive_ns", ColumnKind::kDuration, 0, 0, Readers::kScripts},
               {"", "naive_error", ColumnKind::kShare, 0, 0, Readers::kScripts},
               {"device", "device_error", ColumnKind::kShare, 5},
               {"replay", "replay_error", ColumnKind::kShare, 4},
               {"", "applies", ColumnKind::kText, 0, 0, Readers::kScripts},
               {"", "before_step_set", ColumnKind::kText, 0, 0, Readers::kJson},
               {"", "after_step_set", ColumnKind::kText, 0, 0, Readers::kJson}});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ValidatedPair& pair = pairs[i];
    const Validation& v = pair.validation;
    table.AddRow(
        {i + 1, pair.before.path, pair.after.path, pair.whatif, v.is_step ? "step" : "span",
         v.forecast.measured, v.after, v.forecast.forecast, v.Error(), v.forecast.naive,
         v.NaiveError(), v.DeviceError(), v.forecast.ReplayError(), v.forecast.applies,
         JsonCell(StepSetToJson(pair.before_steps)), JsonCell(StepSetToJson(pair.after_steps))});
  }
  return table;
}

Table ClassTable(std::span<const ValidatedPair> pairs) {
  Table table("Device work by class", {{"", "pair", ColumnKind::kId, 0, 0, Readers::kScripts},
                                       {"class", "class", ColumnKind::kText, kAlways},
                                       {"before", "before_ns", ColumnKind::kDuration, 5},
                                       {"forecast", "forecast_ns", ColumnKind::kDuration, kAlways},
                                       {"after", "after_ns", ColumnKind::kDuration, kAlways},
                                       {"off by", "off_ns", ColumnKind::kDuration, kAlways},
                                       {"of the unit", "off_share", ColumnKind::kShare, 6}});
  table.ShareTimeUnit();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Validation& validation = pairs[i].validation;
    for (const ClassError& row : validation.classes) {
      table.AddRow({i + 1, NameOf(row.kernel_class), row.before, row.forecast, row.after, row.Off(),
                    ShareOf(row.Off(), validation.after)});
    }
  }
  return table;
}

std::string OneLine(const ValidatedPair& pair) {
  const Validation& v = pair.validation;
  const std::string unit = v.is_step ? "A step" : "The GPU span";
  return unit + " took " + FormatDuration(v.forecast.measured) + " before and " +
         FormatDuration(v.after) + " after. " + pair.whatif + " had forecast " +
         FormatDuration(v.forecast.forecast) + ": " + SignedPercent(v.Error()) + " off.";
}

}  // namespace

Report MakeValidationReport(const std::vector<ValidatedPair>& pairs, std::optional<double> limit) {
  Report report;
  report.command = "validate";
  report.window.text = "counted steps, else the GPU span";
  double sum = 0, most = 0;
  for (const ValidatedPair& pair : pairs) {
    const double off = std::abs(pair.validation.Error());
    sum += off;
    most = std::max(most, off);
  }
  const double mean = pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
  Table table = PairsTable(pairs);
  Table classes = ClassTable(pairs);
  table.Nest("by_class", classes, "pair");
  report.fields["pairs"] = nullptr;
  report.fields["mean_abs_error"] = mean;
  report.fields["max_abs_error"] = most;
  report.fields["max_error_allowed"] = JsonOrNull(limit);
  if (pairs.size() == 1) {
    const ValidatedPair& pair = pairs.front();
    report.traces = {pair.before, pair.after};
    report.about = {pair.gpu};
    report.Show(OneLine(pair));
    if (!pair.validation.forecast.applies) {
      report.Show(pair.whatif + " does not apply: " + pair.validation.forecast.reason + ".");
    }
    report.AddForScripts("pairs", std::move(table));
    report.AddBeside("by_class", std::move(classes));
    report.AddBeside("waits", WaitsTable(pair.validation.forecast, pair.validation.is_step));
  } else {
    table.AddNote("mean |error| " + FormatPercent(mean) + ", largest " + FormatPercent(most));
    report.Add("pairs", std::move(table));
    report.AddBesideForScripts("by_class", std::move(classes));
  }
  if (limit) {
    report.Show(std::string(most <= *limit ? "Within" : "NOT within") + " the limit of " +
                FormatPercent(*limit) + ".");
  }
  return report;
}

}  // namespace xsp
