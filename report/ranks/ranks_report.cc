#include "report/ranks/ranks_report.h"

#include <cmath>

#include "base/text.h"
#include "model/duration.h"
#include "report/ranks/ranks_tables.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Rows of the lesser tables that people see.
constexpr std::size_t kRowsShown = 6;

// "44 steps of 16 ranks, 46.34 s each".
std::string WindowWords(const RanksAnalysis& analysis) {
  const auto count = [](std::size_t n, const char* what) {
    return FormatCount(static_cast<std::int64_t>(n)) + " " + what + (n == 1 ? "" : "s");
  };
  return count(analysis.job.workers.size(), "rank") + ", " +
         count(analysis.job.steps.size(), "step") + " of " +
         FormatDuration(std::llround(analysis.all.step_ns));
}

void AddVerdict(const RanksAnalysis& analysis, const RanksReportOptions& options, Report& report) {
  report.fields["run"] = JsonText(options.run);
  const std::string verdict = RanksVerdict(analysis);
  report.fields["verdict"] = JsonText(verdict);
  report.fields["culprit"] = std::string(NameOf(analysis.blame.culprit));
  Json culprits = Json::array();
  for (const WorkerRow w : analysis.blame.workers) culprits.push_back(analysis.job.workers[w].rank);
  report.fields["culprit_ranks"] = std::move(culprits);
  const Culprit culprit = analysis.blame.culprit;
  const bool is_any = culprit != Culprit::kNobody && culprit != Culprit::kUnknown;
  report.fields["culprit_slowdown"] = is_any ? Json(analysis.blame.slowdown) : Json();
  report.Show(Headline{verdict});
  std::vector<std::string> notes = analysis.notes;
  notes.insert(notes.end(), options.oddities.begin(), options.oddities.end());
  std::string shown;
  for (const std::string& note : notes) shown += (shown.empty() ? "" : "\n") + SafeText(note);
  report.Show(shown);
  report.fields["notes"] = TextsJson(notes);
}

void AddTrust(const RanksAnalysis& analysis, Report& report) {
  const JobTrust& trust = analysis.trust;
  report.fields["trust"] = {{"level", std::string(NameOf(trust.level))},
                            {"reasons", TextsJson(trust.reasons)}};
  report.fields["replay_error"] = analysis.ReplayError();
  std::string words = "Replayed as it is, a step takes " +
                      FormatDuration(std::llround(analysis.all.step_ns)) + " (" +
                      FormatPercent(analysis.ReplayError()) + " off). Trust is " +
                      std::string(NameOf(trust.level));
  if (!trust.reasons.empty()) words += ": " + Joined(trust.reasons, "; ");
  report.Show(words + ".");
}

void AddFigures(const RanksAnalysis& analysis, Report& report) {
  report.fields["slowdown"] = analysis.all.slowdown;
  report.fields["m_w"] = JsonOrNull(analysis.all.m_w);
  report.fields["m_s"] = JsonOrNull(analysis.all.m_s);
  report.fields["peers_slowdown"] = analysis.peers.slowdown;
  report.fields["peers_m_w"] = JsonOrNull(analysis.peers.m_w);
  report.fields["peers_m_s"] = JsonOrNull(analysis.peers.m_s);
  report.fields["step_ns"] = std::llround(analysis.all.step_ns);
  report.fields["ideal_step_ns"] = std::llround(analysis.all.ideal_step_ns);
  report.fields["peers_ideal_step_ns"] = std::llround(analysis.peers.ideal_step_ns);
}

}  // namespace

Report MakeRanksReport(const RanksAnalysis& analysis, const RanksReportOptions& options) {
  Report report;
  report.command = "ranks";
  report.traces = options.sources;
  report.window.text = WindowWords(analysis);
  AddVerdict(analysis, options, report);
  AddFigures(analysis, report);
  report.AddForScripts("ranks", AllRanksTable(analysis));
  report.Show(options.by == RanksBy::kRank ? FoldedRanksTable(analysis, options.top)
                                           : RanksByTable(analysis, options.by));
  report.Add("forecasts", ForecastsTable(analysis.forecasts));
  report.Add("slowdowns", SlowdownsTable(analysis));
  AddTrust(analysis, report);
  const auto add = [&](const char* name, Table table, bool is_shown) {
    table.ShowFirst(options.top == 0 ? 0 : kRowsShown);
    if (is_shown) {
      report.Add(name, std::move(table));
    } else {
      report.AddForScripts(name, std::move(table));
    }
  };
  add("by_type", ByTypeTable(analysis), true);
  add("by_stage", ByStageTable(analysis), analysis.all.by_stage.size() > 1);
  add("by_data_parallel", ByDataParallelTable(analysis), false);
  add("by_rank", ByRankTable(analysis), analysis.blame.culprit != Culprit::kNobody);
  add("by_host", ByHostTable(analysis), analysis.blame.culprit == Culprit::kHost);
  // People see sorts of communication; scripts every communicator.
  Table sorts = CollectivesTable(analysis.sorts);
  sorts.ShowFirst(options.top == 0 ? 0 : kRowsShown);
  report.Show(std::move(sorts));
  report.AddForScripts("collectives", CollectivesTable(analysis.collectives));
  add("clocks", RankClocksTable(analysis.clocks), analysis.clocks.size() > 1);
  return report;
}

}  // namespace xsp
