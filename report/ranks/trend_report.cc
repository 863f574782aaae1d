#include "report/ranks/trend_report.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/duration.h"
#include "report/forecasts/forecast_parts.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// A line of bars, one for each run, from the lowest to the highest value.
std::string Sparkline(const std::vector<TrendPoint>& points) {
  static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = points.front().value, high = low;
  for (const TrendPoint& point : points) {
    low = std::min(low, point.value);
    high = std::max(high, point.value);
  }
  std::string line;
  for (const TrendPoint& point : points) {
    const double place = high > low ? (point.value - low) / (high - low) : 0;
    line += kBars[std::min<std::size_t>(7, static_cast<std::size_t>(place * 8))];
  }
  return line;
}

std::string Sentence(const Trend& trend, const std::string& metric, const std::string& point) {
  if (!trend.drift) {
    return "Fewer than " + std::to_string(kRunsForTrend) + " " + point + "s: no trend can be told.";
  }
  const std::string from_to = " from the first to the last " + point;
  if (!trend.changes.empty()) {
    const TrendChange& largest = *std::max_element(
        trend.changes.begin(), trend.changes.end(),
        [](const auto& a, const auto& b) { return std::abs(a.Share()) < std::abs(b.Share()); });
    std::string words = "The " + metric + " changed by " + SignedPercent(largest.Share()) +
                        " with " + point + " " + SafeText(trend.points[largest.point].run) +
                        ", from " + FormatDuration(std::llround(largest.from)) + " to " +
                        FormatDuration(std::llround(largest.to));
    const std::size_t others = trend.changes.size() - 1;
    if (others > 0) {
      words += ", and at " + std::to_string(others) + " other " + point + (others > 1 ? "s" : "");
    }
    return words + ";" + from_to + ": " + SignedPercent(*trend.drift) + ".";
  }
  if (!trend.Drifts()) {
    return "The " + metric + " stays: " + SignedPercent(*trend.drift) + from_to +
           " is within the noise between " + point + "s (" + FormatPercent(trend.noise) + ").";
  }
  return "The " + metric + " drifts: " + SignedPercent(*trend.drift) + " over " +
         std::to_string(trend.points.size()) + " " + point + "s, " +
         SignedPercent(*trend.drift / static_cast<double>(trend.points.size() - 1)) + " from " +
         point + " to " + point + "; noise between " + point + "s is " +
         FormatPercent(trend.noise) + ".";
}

// The oldest first; people see the newest first, as many as they asked for.
Table PointsTable(const Trend& trend, const std::string& point, bool newest_first) {
  const bool is_run = point == "run";
  Table table(is_run ? "Runs" : "Steps", {{point, "run", ColumnKind::kName, kAlways},
                                          {"value", "value", ColumnKind::kDuration, kAlways},
                                          {"from", "low", ColumnKind::kDuration, 6},
                                          {"to", "high", ColumnKind::kDuration, 6},
                                          {"against the first", "ratio", ColumnKind::kFloat, 8, 3},
                                          {"", "what", ColumnKind::kText, 7}});
  table.ShareTimeUnit();
  const std::vector<TrendPoint>& points = trend.points;
  for (std::size_t place = 0; place < points.size(); ++place) {
    const std::size_t i = newest_first ? points.size() - 1 - place : place;
    std::string what;
    for (const TrendChange& change : trend.changes) {
      if (change.point == i) what = SignedPercent(change.Share()) + " begins here";
    }
    const bool has_error = points[i].error.has_value();
    table.AddRow({points[i].run, std::llround(points[i].value),
                  has_error ? Cell(std::llround(points[i].Low())) : Cell(),
                  has_error ? Cell(std::llround(points[i].High())) : Cell(),
                  points.front().value > 0 ? Cell(points[i].value / points.front().value) : Cell(),
                  what.empty() ? Cell() : Cell(what)});
  }
  return table;
}

Table ChangesTable(const Trend& trend) {
  Table table("Changes", {{"run", "run", ColumnKind::kName, kAlways},
                          {"from", "from", ColumnKind::kDuration, kAlways},
                          {"to", "to", ColumnKind::kDuration, kAlways},
                          {"change", "change", ColumnKind::kShare, kAlways}});
  for (const TrendChange& change : trend.changes) {
    table.AddRow({trend.points[change.point].run, std::llround(change.from),
                  std::llround(change.to), change.Share()});
  }
  return table;
}

Table GatesTable(const std::vector<TrendGateResult>& gates) {
  Table table("Limits", {{"limit", "expression", ColumnKind::kText, kAlways},
                         {"value", "value", ColumnKind::kShare, kAlways},
                         {"", "state", ColumnKind::kText, kAlways}});
  for (const TrendGateResult& result : gates) {
    table.AddRow({result.gate.text, result.value, NameOf(result.state)});
  }
  return table;
}

}  // namespace

Report MakeTrendReport(const Trend& trend, const TrendReportOptions& options) {
  Report report;
  report.command = "trend";
  report.window.text = options.what + ", " + std::to_string(trend.points.size()) + " of them, by " +
                       SafeText(options.metric);
  if (!options.kind.empty()) report.window.text += " of kind " + SafeText(options.kind);
  report.fields["metric"] = JsonText(options.metric);
  report.fields["point"] = JsonText(options.point);
  report.fields["kind"] = options.kind.empty() ? Json() : JsonText(options.kind);
  report.Show(Headline{Sentence(trend, SafeText(options.metric), options.point)});
  if (!trend.points.empty()) report.Show(Sparkline(trend.points));
  report.AddForScripts("points", PointsTable(trend, options.point, false));
  Table shown = PointsTable(trend, options.point, true);
  shown.ShowFirst(options.top);
  report.Show(std::move(shown));
  report.AddForScripts("changes", ChangesTable(trend));
  report.fields["drift"] = JsonOrNull(trend.drift);
  report.fields["drift_error"] = trend.drift_error;
  report.fields["noise"] = trend.noise;
  report.Add("gates", GatesTable(options.gates));
  report.fields["left_out"] = TextsJson(options.left_out);
  for (const std::string& line : options.left_out) report.Show("Left out: " + SafeText(line));
  return report;
}

}  // namespace xsp
