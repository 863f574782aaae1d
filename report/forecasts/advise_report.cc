#include <algorithm>

#include "base/text.h"
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
               {"about", "finding", ColumnKind::kText, 7},
               {"speed-up", "speedup", ColumnKind::kFloat, kAlways, 2},
               {"low", "speedup_low", ColumnKind::kFloat, 5, 2},
               {"high", "speedup_high", ColumnKind::kFloat, 5, 2},
               {"forecast", "forecast_ns", ColumnKind::kDuration, 8},
               {"how sure", "sure", ColumnKind::kText, 6, 2, Readers::kPeople},
               {"confidence", "confidence", ColumnKind::kFloat, 0, 2, Readers::kScripts},
               {"trust", "trust", ColumnKind::kText, 0, 0, Readers::kScripts},
               {"effort", "effort", ColumnKind::kText, 4},
               {"", "evidence", ColumnKind::kText, 0, 0, Readers::kScripts},
               {"fixes the same as", "covered_by", ColumnKind::kText, 6},
               {"", "command", ColumnKind::kText, 0, 0, Readers::kScripts}});
  for (const Advice& item : advice.items) {
    const WhatIf& whatif = *item.chosen.whatif;
    table.AddRow({whatif.name, item.finding, item.forecast.Speedup(), item.forecast.SpeedupLow(),
                  item.forecast.SpeedupHigh(), item.forecast.forecast,
                  ConfidenceWord(item.confidence), item.confidence,
                  NameOf(item.forecast.trust.level), NameOf(whatif.effort),
                  EvidenceWords(item.forecast.evidence),
                  item.covered_by.empty() ? Cell() : Cell(item.covered_by),
                  CommandOf(item, trace_argument)});
  }
  if (!advice.items.empty()) {
    table.AddNote(
        "Ranked by gain, effort and how sure it is: high, if at least 7 tenths of the gain can be "
        "counted on; fair, if 4.");
    table.AddNote("Again, with all assumptions: xsp whatif --" +
                  std::string(advice.items.front().chosen.whatif->name) + " " + trace_argument);
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

struct Other {
  std::string_view whatif;
  double speedup = 1;
  std::string why;     // For people;
  std::string reason;  // for scripts: empty where it would apply.
};

std::vector<Other> OthersOf(const AdviceReport& advice) {
  std::vector<Other> others;
  for (const Advice& item : advice.untrusted) {
    const std::string reason = "not ranked, trust is " + TrustWords(item.forecast.trust, 1);
    others.push_back({item.chosen.whatif->name, item.forecast.Speedup(), reason, reason});
  }
  for (const Advice& item : advice.without_gain) {
    const double speedup = item.forecast.Speedup();
    const std::string why = speedup < 0.995 ? "would make it slower: " + SpeedupWords(speedup)
                                            : "would gain next to nothing: the time is spent in " +
                                                  LimitWords(item.forecast.limits_after);
    others.push_back({item.chosen.whatif->name, speedup, why, ""});
  }
  for (const auto& [whatif, reason] : advice.inapplicable) {
    others.push_back({whatif->name, 1.0, reason, reason});
  }
  return others;
}

Table OthersTable(const std::vector<Other>& others) {
  Table table("Not worth it here", {{"what", "whatif", ColumnKind::kText, kAlways},
                                    {"", "speedup", ColumnKind::kFloat, 0, 2},
                                    {"", "reason", ColumnKind::kText, 0, 0}});
  for (const Other& other : others) {
    table.AddRow({other.whatif, other.speedup, other.reason.empty() ? Cell() : Cell(other.reason)});
  }
  return table;
}

// A trade of which nothing applies is one line.
Table OthersForPeople(const std::vector<Other>& others) {
  Table table("Not worth it here", {{"what", "what", ColumnKind::kText, kAlways},
                                    {"why", "why", ColumnKind::kText, kAlways}});
  std::vector<std::pair<std::string, std::string>> trades;
  std::vector<std::string_view> left_out;
  for (const Trade& trade : AllTrades()) {
    const bool applies_not =
        std::all_of(trade.whatifs.begin(), trade.whatifs.end(), [&](std::string_view name) {
          return std::any_of(others.begin(), others.end(), [&](const Other& other) {
            return other.whatif == name && !other.reason.empty();
          });
        });
    if (!applies_not || trade.whatifs.size() < 2) continue;
    trades.emplace_back(Joined(trade.whatifs, ", "), trade.none);
    left_out.insert(left_out.end(), trade.whatifs.begin(), trade.whatifs.end());
  }
  for (const Other& other : others) {
    const bool is_left_out =
        std::find(left_out.begin(), left_out.end(), other.whatif) != left_out.end();
    if (!is_left_out) table.AddRow({other.whatif, other.why});
  }
  for (const auto& [names, none] : trades) table.AddRow({names, none});
  return table;
}

Table HabitsTable(const std::vector<Habit>& habits, bool is_step) {
  Table table("What costs time again and again",
              {{is_step ? "a step" : "in all", "count", ColumnKind::kInt, 8},
               {"what", "habit", ColumnKind::kText, kAlways},
               {"time", "ns", ColumnKind::kDuration, 8},
               {"saves", "gain", ColumnKind::kShare, 8},
               {"without it", "whatif", ColumnKind::kText, 7}});
  for (const Habit& habit : habits) {
    const HabitRule& rule = *habit.rule;
    table.AddRow({habit.count, habit.count == 1 ? rule.one : rule.many, habit.ns, Cell(habit.gain),
                  rule.whatif.empty() ? Cell() : Cell("--" + std::string(rule.whatif))});
  }
  return table;
}

std::string HeadlineOf(const Workbench& workbench, const AdviceReport& advice,
                       const Diagnosis& diagnosis) {
  const std::string unit = workbench.unit().is_step ? "A step" : "The GPU span";
  const Forecast now = workbench.Run({});
  std::string text = unit + " takes " + FormatDuration(now.measured) + ". " + diagnosis.text + " ";
  if (advice.items.empty() && !advice.untrusted.empty()) {
    return text + "Nothing is ranked here: trust is low.";
  }
  if (advice.items.empty())
    return text + "None of the what-ifs here would make it markedly faster.";
  const Advice& best = advice.items.front();
  text += "Most worth trying: " + best.chosen.AsOption() +
          (best.finding.empty() ? "" : " (" + best.finding + ")") + ", " +
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
  const std::vector<Other> others = OthersOf(advice);
  report.AddForScripts("others", OthersTable(others));
  report.Add("habits", HabitsTable(advice.habits, workbench.unit().is_step));
  report.Show(OthersForPeople(others));
  return report;
}

}  // namespace xsp
