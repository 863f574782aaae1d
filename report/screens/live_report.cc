#include "report/screens/live_report.h"

#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// "300 nvtx, 12 kernel".
std::string Counts(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [kind, count] : counts) {
    if (!text.empty()) text += ", ";
    text += FormatCount(static_cast<std::int64_t>(count)) + " " + kind;
  }
  return text;
}

std::string Outcome(const LiveResult& result) {
  if (!result.stored) return "nothing was recorded";
  std::string text = "wrote " + SafeText(*result.stored) + ": " + FormatBytes(result.stored_bytes);
  if (result.processes > 1) text += ", " + std::to_string(result.processes) + " processes";
  return text + ": " + (result.records.empty() ? "no records" : Counts(result.records));
}

Json ToJson(const std::map<std::string, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [kind, count] : counts) json[kind] = count;
  return json;
}

Table RecordsTable(const LiveResult& result) {
  Table table("Records", {{"kind", "kind", ColumnKind::kText, kAlways},
                          {"recorded", "records", ColumnKind::kInt, kAlways},
                          {"lost", "dropped", ColumnKind::kInt, kAlways}});
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> rows;
  for (const auto& [kind, count] : result.records) rows[kind].first = count;
  for (const auto& [kind, count] : result.dropped) rows[kind].second = count;
  for (const auto& [kind, counts] : rows) table.AddRow({kind, counts.first, counts.second});
  if (rows.empty() && result.stored) table.AddNote("none");
  return table;
}

Table UnavailableTable(const LiveResult& result) {
  Table table("Not available",
              {{"kind", "kind", ColumnKind::kText}, {"why", "why", ColumnKind::kText}});
  for (const auto& [kind, why] : result.unavailable) table.AddRow({kind, why});
  return table;
}

}  // namespace

Report MakeLiveReport(const LiveResult& result) {
  Report report;
  report.command = "live";
  report.traces.push_back({result.source, "xsp-live", std::nullopt, false, {}});
  report.fields = {{"stored", result.stored ? JsonText(*result.stored) : Json(nullptr)},
                   {"processes", result.processes},
                   {"records", ToJson(result.records)},
                   {"dropped", ToJson(result.dropped)},
                   {"unavailable", RowsOf(UnavailableTable(result))},
                   {"messages", TextsJson(result.messages)},
                   {"exit_code", JsonOrNull(result.exit_code)}};
  std::vector<std::string> lines = LiveLines(result);
  report.Show(lines.front());
  report.AddBeside("records", RecordsTable(result));
  report.AddBesideForScripts("unavailable", UnavailableTable(result));
  for (std::size_t i = 1; i < lines.size(); ++i) report.Show(lines[i]);
  return report;
}

std::vector<std::string> LiveLines(const LiveResult& result) {
  std::vector<std::string> lines = {Outcome(result)};
  for (const auto& [kind, why] : result.unavailable) {
    lines.push_back("not available: " + SafeText(kind) + ": " + SafeText(why));
  }
  if (!result.dropped.empty()) lines.push_back("lost while recording: " + Counts(result.dropped));
  for (const std::string& message : result.messages) lines.push_back(SafeText(message));
  return lines;
}

}  // namespace xsp
