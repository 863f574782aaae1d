#include "report/forecasts/whatif_report.h"

#include <algorithm>
#include <array>

#include "report/forecasts/diagnosis_json.h"
#include "report/forecasts/forecast_parts.h"
#include "report/graph/trust_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// "AMP fp16: 223.4 ms → 158.0 ms, 1.41× faster (likely 1.20 to 1.70×)".
std::string HeadlineOf(const Forecast& forecast) {
  const std::string what = TitleOf(forecast);
  if (!forecast.applies) return what + " does not apply: " + forecast.reason + ".";
  std::string text = what + ": " + FormatDuration(forecast.measured) + " → " +
                     FormatDuration(forecast.forecast) + ", " + SpeedupWords(forecast.Speedup());
  const DurationNs slow = forecast.slow_if_loader_keeps_up;
  const double low = forecast.SpeedupAt(slow), high = forecast.SpeedupHigh();
  text += " (likely " + FormatNumber(low, 2) + " to " + FormatNumber(high, 2) + "×)";
  if (low - forecast.SpeedupLow() > 0.005) {
    text += " if the data loader keeps up, else down to " + FormatNumber(forecast.SpeedupLow(), 2) +
            "×";
  }
  if (forecast.work != 1) {
    text += ", with " + FormatNumber(forecast.work, 2) + "× the work in it";
  }
  if (forecast.trust.level == TrustLevel::kLow) text += "; not to be trusted";
  text += ".";
  if (!forecast.reason.empty()) text += " Left out: " + forecast.reason + ".";
  return text;
}

Table TimesTable(const Forecast& forecast) {
  Table table("", {{"", "what", ColumnKind::kText, kAlways},
                   {"time", "ns", ColumnKind::kDuration, kAlways},
                   {"", "bar", ColumnKind::kBar, 1},
                   {"", "note", ColumnKind::kText, 5}});
  table.HideHeader();
  const DurationNs longest = std::max({forecast.measured, forecast.replayed, forecast.forecast});
  auto add = [&](const char* what, DurationNs ns, std::string note) {
    table.AddRow({what, ns, ShareOf(ns, longest), std::move(note)});
  };
  add("measured", forecast.measured, "");
  add("replayed", forecast.replayed, "error " + SignedPercent(forecast.ReplayError()));
  if (!forecast.applies) return table;
  add("forecast", forecast.forecast, "");
  add("best case", forecast.bound, "what it touches costs nothing, and nobody waits");
  if (forecast.classic) {
    add("classic", *forecast.classic, "the paper's rule on the paper's graph");
  }
  return table;
}

// Each kind of steps, and all of them together as often as they came.
Table KindsTable(const std::vector<KindForecast>& kinds) {
  Table table("By kind of step", {{"kind", "kind", ColumnKind::kText, kAlways},
                                  {"steps", "count", ColumnKind::kInt, 6},
                                  {"now", "measured_ns", ColumnKind::kDuration, kAlways},
                                  {"forecast", "forecast_ns", ColumnKind::kDuration, kAlways},
                                  {"speed-up", "speedup", ColumnKind::kFloat, 9, 2},
                                  {"why not", "reason", ColumnKind::kText, 7}});
  DurationNs before = 0;
  double after = 0;
  std::uint32_t count = 0;
  for (const KindForecast& of : kinds) {
    before += of.time;
    count += of.count;
    const auto time = static_cast<double>(of.time);
    const bool applies = of.forecast && of.forecast->applies && of.forecast->measured > 0;
    after += applies ? time / of.forecast->Speedup() : time;
    if (!of.forecast) {
      const DurationNs mean = of.time / std::max<std::uint32_t>(1, of.count);
      table.AddRow({of.kind, of.count, mean, {}, {}, "too few steps: left as it is"});
    } else {
      table.AddRow({of.kind, of.count, of.forecast->measured, of.forecast->forecast,
                    of.forecast->Speedup(), of.forecast->reason});
    }
  }
  table.AddRow({"[all steps]", count, before, static_cast<DurationNs>(after),
                after > 0 ? Cell(static_cast<double>(before) / after) : Cell(), ""});
  return table;
}

}  // namespace

Report MakeWhatIfReport(const Workbench& workbench, const Forecast& forecast,
                        const ForecastHead& head, const std::vector<KindForecast>& kinds) {
  Report report("whatif", head.source, head.gpu, head.window);
  report.Show(HeadlineOf(forecast));
  // What lies between steps decides with them how many there are in an hour.
  const CountedSteps& steps = workbench.unit().steps;
  if (forecast.applies && workbench.unit().is_step &&
      std::max(steps.between, forecast.between) > steps.typical / 100) {
    report.Show("With what lies between steps: " + FormatDuration(steps.WithBetween()) + " → " +
                FormatDuration(forecast.forecast + forecast.between) + ".");
  }
  report.Show("Now: " + head.diagnosis.text);
  report.Show(TrustSentence(forecast.trust));
  report.AddBeside("times", TimesTable(forecast));
  const bool is_step = workbench.unit().is_step;
  report.fields = ForecastFields(forecast, workbench.unit());
  report.fields["diagnosis"] = DiagnosisToJson(head.diagnosis);
  if (forecast.applies) {
    report.Add("changes", ChangesTable(forecast));
    report.AddBeside("waits", WaitsTable(forecast, is_step));
    report.Show(NotesTable(workbench, forecast));
  } else {
    report.AddForScripts("changes", ChangesTable(forecast));
  }
  if (kinds.empty()) {
    report.fields["kinds"] = Json::array();
  } else {
    report.Add("kinds", KindsTable(kinds));
  }
  report.AddBesideForScripts("limits", LimitsTable(forecast));
  return report;
}

Report MakeSweepReport(const Workbench& workbench, const std::string& swept,
                       const std::vector<std::pair<std::string, Forecast>>& points,
                       const ForecastHead& head) {
  Report report("whatif", head.source, head.gpu, head.window);
  Table table("Forecast by " + swept,
              {{swept, "value", ColumnKind::kText, kAlways},
               {"forecast", "forecast_ns", ColumnKind::kDuration, kAlways},
               {"speed-up", "speedup", ColumnKind::kFloat, 9, 2},
               {"low", "speedup_low", ColumnKind::kFloat, 6, 2},
               {"high", "speedup_high", ColumnKind::kFloat, 6, 2},
               {"best case", "bound_ns", ColumnKind::kDuration, 4},
               {"trust", "trust", ColumnKind::kText, 3, 0, Readers::kPeople},
               {"why not", "reason", ColumnKind::kText, 7}});
  std::vector<Facts> forecasts;
  for (const auto& [value, forecast] : points) {
    table.AddRow({value, forecast.forecast, forecast.Speedup(), forecast.SpeedupLow(),
                  forecast.SpeedupHigh(), forecast.bound, NameOf(forecast.trust.level),
                  forecast.reason});
    Facts fields = ForecastFields(forecast, workbench.unit());
    fields["value"] = value;
    fields["changes"] = RowsOf(ChangesTable(forecast));
    forecasts.push_back(std::move(fields));
  }
  AddUnitFields(workbench.unit(), report.fields);
  report.Show(TrustSentence(workbench.trust()));
  report.fields["trust"] = TrustJson(workbench.trust());
  report.fields["diagnosis"] = DiagnosisToJson(head.diagnosis);
  report.fields["swept"] = swept;
  report.fields["measured_ns"] =
      points.empty() ? Json(nullptr) : Json(points.front().second.measured);
  report.fields["points"] = std::move(forecasts);
  report.AddBeside("points", std::move(table));
  return report;
}

Report MakeWhatIfList() {
  Report report;
  report.command = "whatif";
  report.window.text = "what can be asked";
  Table table("What-ifs", {{"option", "option", ColumnKind::kText, kAlways},
                           {"what it asks", "help", ColumnKind::kText, kAlways},
                           {"evidence", "evidence", ColumnKind::kText, 6},
                           {"needs", "needs", ColumnKind::kText, 4},
                           {"effort", "effort", ColumnKind::kText, 3}});
  Table options("Their options", {{"what-if", "whatif", ColumnKind::kText, kAlways},
                                  {"option", "option", ColumnKind::kText, kAlways},
                                  {"default", "default", ColumnKind::kText, 5},
                                  {"what it is", "help", ColumnKind::kText, kAlways}});
  for (const WhatIf* whatif : AllWhatIfs()) {
    table.AddRow({"--" + std::string(whatif->name), whatif->help, EvidenceWords(whatif->evidence),
                  whatif->needs, NameOf(whatif->effort)});
    for (const WhatIfOption& option : whatif->options) {
      options.AddRow({whatif->name, option.name, option.default_value, option.help});
    }
  }
  options.AddNote("xsp whatif --ddp=8 TRACE: the first option needs no name; others are");
  options.AddNote("name=value, joined by commas: --ddp=gpus=8,bucket=50MB.");
  report.Add("available", std::move(table));
  report.Add("options", std::move(options));
  return report;
}

}  // namespace xsp
