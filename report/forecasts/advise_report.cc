#include <algorithm>

#include "report/forecasts/diagnosis_json.h"
#include "report/forecasts/forecast_parts.h"
#include "report/forecasts/whatif_report.h"
#include "report/graph/trust_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

std::string ConfidenceWord(double confidence) {
  constexpr double kHigh = 0.7, kFair = 0.4;
  if (confidence >= kHigh) return "high";
  return confidence >= kFair ? "fair" : "low";
}

std::string CommandOf(const Advice& advice, const std::string& trace_argument) {
  return "xsp whatif " + advice.chosen.AsOption() + " " + trace_argument;
}

Table ItemsTable(const AdviceReport& advice, const std::string& trace_argument) {
  Table table("Worth trying",
              {{"what", "whatif", ColumnKind::kText, kAlways},
               {"speed-up", "speedup", ColumnKind::kFloat, kAlways, 2},
               {"low", "speedup_low", ColumnKind::kFloat, 5, 2},
               {"high", "speedup_high", ColumnKind::kFloat, 5, 2},
               {"forecast", "forecast_ns", ColumnKind::kDuration, 8},
               {"how sure", "sure", ColumnKind::kText, 6, 2, Readers::kPeople},
               {"confidence", "confidence", ColumnKind::kFloat, 0, 2, Readers::kScripts},
               {"effort", "effort", ColumnKind::kText, 4},
               {"", "evidence", ColumnKind::kText, 0, 0, Readers::kScripts},
               {"fixes the same as", "covered_by", ColumnKind::kText, 7},
               {"again", "command", ColumnKind::kText, 9}});
  for (const Advice& item : advice.items) {
    const WhatIf& whatif = *item.chosen.whatif;
    table.AddRow({whatif.name, item.forecast.Speedup(), item.forecast.SpeedupLow(),
                  item.forecast.SpeedupHigh(), item.forecast.forecast,
                  ConfidenceWord(item.confidence), item.confidence, NameOf(whatif.effort),
                  EvidenceWords(item.forecast.evidence),
                  item.covered_by.empty() ? Cell() : Cell(item.covered_by),
                  CommandOf(item, trace_argument)});
  }
  if (!advice.items.empty()) {
    table.AddNote(
        "Ranked by gain and how sure it is: high, if at least 7 tenths of the gain can be counted "
        "on; fair, if 4.");
  }
  const bool needs_loader =
      std::any_of(advice.items.begin(), advice.items.end(), [](const Advice& item) {
        return item.forecast.slow != item.forecast.slow_if_loader_keeps_up;
      });
  if (needs_loader) {
    table.AddNote(
        "How sure it is holds if the data loader keeps up. It was hardly ever waited for: low ends "
        "are for one that is no faster than the steps were.");
  }
  return table;
}

Table OthersTable(const AdviceReport& advice, const Trust& trust) {
  constexpr Readers kScripts = Readers::kScripts;
  Table table("Not worth it here", {{"what", "whatif", ColumnKind::kText, kAlways},
                                    {"", "speedup", ColumnKind::kFloat, 0, 2, kScripts},
                                    {"why", "", ColumnKind::kText, kAlways, 0, Readers::kPeople},
                                    {"", "reason", ColumnKind::kText, 0, 0, kScripts}});
  for (const Advice& item : advice.untrusted) {
    const std::string reason = "not ranked, trust is " + TrustWords(trust, 1);
    table.AddRow({item.chosen.whatif->name, item.forecast.Speedup(), reason, reason});
  }
  for (const Advice& item : advice.without_gain) {
    const double speedup = item.forecast.Speedup();
    const std::string why = speedup < 0.995 ? "would make it slower: " + SpeedupWords(speedup)
                                            : "would gain next to nothing: the time is spent in " +
                                                  LimitWords(item.forecast.limits_after);
    table.AddRow({item.chosen.whatif->name, speedup, why, Cell()});
  }
  for (const auto& [whatif, reason] : advice.inapplicable) {
    table.AddRow({whatif->name, 1.0, reason, reason});
  }
  return table;
}

std::string HeadlineOf(const Workbench& workbench, const AdviceReport& advice,
                       const Diagnosis& diagnosis) {
  const std::string unit = workbench.unit().is_step ? "A step" : "The GPU span";
  const Forecast now = workbench.Run({});
  std::string text = unit + " takes " + FormatDuration(now.measured) + ". " + diagnosis.text + " ";
  if (!advice.untrusted.empty()) return text + "Nothing is ranked here: trust is low.";
  if (advice.items.empty())
    return text + "None of the what-ifs here would make it markedly faster.";
  const Advice& best = advice.items.front();
  text += "Most worth trying: " + best.chosen.AsOption() + ", " +
          SpeedupWords(best.forecast.Speedup()) + ".";
  if (advice.combined) {
    text += " Together, " + TitleOf(*advice.combined) + ": " + FormatDuration(now.measured) +
            " → " + FormatDuration(advice.combined->forecast) + ", " +
            SpeedupWords(advice.combined->Speedup()) + ".";
  }
  return text;
}

}  // namespace

Report MakeAdviceReport(const Workbench& workbench, const AdviceReport& advice,
                        const ForecastHead& head, const std::string& trace_argument) {
  Report report("advise", head.source, head.gpu, head.window);
  report.Show(HeadlineOf(workbench, advice, head.diagnosis));
  const Forecast unchanged = workbench.Run({});
  report.Show(TrustSentence(workbench.trust()));
  AddUnitFields(workbench.unit(), report.fields);
  report.fields["diagnosis"] = DiagnosisToJson(head.diagnosis);
  report.fields["measured_ns"] = unchanged.measured;
  report.fields["replayed_ns"] = unchanged.replayed;
  report.fields["trust"] = TrustJson(workbench.trust());
  report.Add("items", ItemsTable(advice, trace_argument));
  report.fields["combined"] = nullptr;
  if (advice.combined) {
    report.fields["combined"] = ForecastFields(*advice.combined, workbench.unit());
  }
  report.Add("others", OthersTable(advice, workbench.trust()));
  return report;
}

}  // namespace xsp
