#include "report/screens/log_report.h"

#include "report/tables/units.h"

namespace xsp {
namespace {

// "4 no_begin, 12 unlinked (kept)".
std::string ReasonsOf(const ImportLog& log, const std::string& table) {
  std::string reasons;
  for (const auto& [key, issue] : log.issues()) {
    if (key.first != table) continue;
    reasons += reasons.empty() ? "" : ", ";
    reasons += FormatCount(static_cast<std::int64_t>(issue.count)) + " " +
               std::string(NameOf(key.second)) + (IsKept(key.second) ? " (kept)" : "");
  }
  return reasons;
}

}  // namespace

std::string LogWords(const ImportLog& log) {
  const ImportLog::Tally total = log.Total();
  return FormatCount(static_cast<std::int64_t>(total.read)) + " rows read, " +
         FormatCount(static_cast<std::int64_t>(total.kept)) + " kept, " +
         FormatCount(static_cast<std::int64_t>(total.set_aside)) + " set aside";
}

Table LogTable(const ImportLog& log) {
  Table table("Import: " + LogWords(log), {{"table", "table", ColumnKind::kText, kAlways},
                                           {"read", "read", ColumnKind::kInt, 6},
                                           {"kept", "kept", ColumnKind::kInt, 5},
                                           {"set aside", "set_aside", ColumnKind::kInt, 8},
                                           {"odd", "", ColumnKind::kName, 7, 0, Readers::kPeople}});
  for (const auto& [name, tally] : log.tallies()) {
    table.AddRow({name, tally.read, tally.kept, tally.set_aside, ReasonsOf(log, name)});
  }
  return table;
}

Table OddRowsTable(const ImportLog& log) {
  Table table("Odd rows", {{"table", "table", ColumnKind::kText, 6},
                           {"reason", "reason", ColumnKind::kText, kAlways},
                           {"rows", "count", ColumnKind::kInt, 9},
                           {"kept", "kept", ColumnKind::kText, 8},
                           {"what it means", "meaning", ColumnKind::kName, 7},
                           {"the first one", "sample", ColumnKind::kName, 3}});
  for (const auto& [key, issue] : log.issues()) {
    table.AddRow({key.first, NameOf(key.second), issue.count, IsKept(key.second),
                  Describe(key.second), issue.sample});
  }
  return table;
}

Facts LogFacts(const ImportLog& log) {
  const ImportLog::Tally total = log.Total();
  return {{"read", total.read},
          {"kept", total.kept},
          {"set_aside", total.set_aside},
          {"tables", RowsOf(LogTable(log))},
          {"reasons", RowsOf(OddRowsTable(log))}};
}

}  // namespace xsp
