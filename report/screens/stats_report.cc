#include "report/screens/stats_report.h"

#include <algorithm>
#include <map>

namespace xsp {
namespace {

// A whole number of nanoseconds keeps all its digits.
int DecimalsOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return 0;
    case TimeUnit::kUs:
      return 3;
    case TimeUnit::kMs:
      return 6;
    case TimeUnit::kS:
      return 9;
  }
  return 0;
}

// One value of a table in the unit that was asked for.
Cell CellOf(const StatsTable& table, std::size_t row, std::size_t column, TimeUnit unit) {
  if (const auto text = table.Text(row, column)) return *text;
  const bool converted = IsTime(table.columns()[column].kind) && unit != TimeUnit::kNs;
  const auto per_unit = static_cast<double>(NanosecondsPer(unit));
  if (const auto number = table.Integer(row, column)) {
    return converted ? Cell(static_cast<double>(*number) / per_unit) : Cell(*number);
  }
  if (const auto number = table.Real(row, column)) {
    return converted ? *number / per_unit : *number;
  }
  return std::nullopt;
}

// Which columns a narrow terminal shows last.
int ImportanceOf(const StatsColumn& column) {
  static const std::map<std::string, int, std::less<>> known = {{"Name", kAlways},
                                                                {"Range", kAlways},
                                                                {"Operation", kAlways},
                                                                {"Kernel Name", kAlways},
                                                                {"Device", kAlways},
                                                                {"Total Time", 10},
                                                                {"Total", 10},
                                                                {"Total Proj Time", 10},
                                                                {"Start", 10},
                                                                {"Duration", 9},
                                                                {"Time", 9},
                                                                {"Num Calls", 8},
                                                                {"Instances", 8},
                                                                {"Count", 8},
                                                                {"Range Instances", 8},
                                                                {"Kern Inst", 8},
                                                                {"Avg", 7},
                                                                {"Med", 6},
                                                                {"Max", 4},
                                                                {"Min", 3},
                                                                {"StdDev", 2},
                                                                {"NameTree", 1},
                                                                {"RangeStack", 1}};
  const auto it = known.find(column.name);
  return it == known.end() ? 5 : it->second;
}

bool IsLongName(const StatsColumn& column) {
  return column.kind == StatsKind::kText && ImportanceOf(column) >= kAlways;
}

TableColumn ColumnOf(const StatsColumn& column, TimeUnit unit) {
  TableColumn result;
  result.title = result.key = FullName(column, NameOf(unit));
  result.importance = ImportanceOf(column);
  switch (column.kind) {
    case StatsKind::kText:
      result.kind = IsLongName(column) ? ColumnKind::kName : ColumnKind::kText;
      break;
    case StatsKind::kInteger:
      result.kind = ColumnKind::kInt;
      break;
    case StatsKind::kId:
      result.kind = ColumnKind::kId;
      break;
    case StatsKind::kTime:
      result.kind = unit == TimeUnit::kNs ? ColumnKind::kInt : ColumnKind::kFloat;
      result.decimals = DecimalsOf(unit);
      break;
    case StatsKind::kTimeReal:
      result.kind = ColumnKind::kFloat;
      result.decimals = std::max(1, DecimalsOf(unit));
      break;
    case StatsKind::kReal:
    case StatsKind::kPercent:
      result.kind = ColumnKind::kFloat;
      result.decimals = 1;
      break;
    case StatsKind::kMegabytes:
    case StatsKind::kMegabytesPerS:
      result.kind = ColumnKind::kFloat;
      result.decimals = 3;
      break;
  }
  return result;
}

std::size_t ShownRows(const StatsTable& table, std::size_t top) {
  return top == 0 ? table.rows() : std::min(top, table.rows());
}

// The first rows of a report; refers to it.
Table TableOf(const StatsTable& stats, std::size_t top, TimeUnit unit) {
  std::vector<TableColumn> columns;
  for (const StatsColumn& column : stats.columns()) columns.push_back(ColumnOf(column, unit));
  Table table(stats.title() + " (" + stats.name() + ")", std::move(columns));
  table.SetRows(ShownRows(stats, top), [&stats, unit](std::size_t row) {
    std::vector<Cell> cells;
    cells.reserve(stats.columns().size());
    for (std::size_t c = 0; c < stats.columns().size(); ++c) {
      cells.push_back(CellOf(stats, row, c, unit));
    }
    return cells;
  });
  return table;
}

// Adds a table; the result is its JSON.
Facts AddTable(const StatsTable& stats, const std::string& request,
               const StatsReportOptions& options, Report& report) {
  Table table = TableOf(stats, options.most, options.time_unit);
  if (!stats.note().empty()) table.AddNote(stats.note());
  const std::size_t left_out = stats.rows() - table.row_count();
  if (left_out > 0) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(left_out)) +
                  " more: --top 0 shows all");
  }
  table.ShowFirst(options.shown, " more: --top 0 shows all");
  Json columns = Json::array();
  for (const TableColumn& column : table.columns()) columns.push_back(column.key);
  Facts fields = {{"name", stats.name()},
                  {"request", request},
                  {"columns", std::move(columns)},
                  {"rows", report.AddBeside(stats.name(), std::move(table))}};
  if (!stats.note().empty()) fields["note"] = stats.note();
  return fields;
}

}  // namespace

Report MakeStatsReport(const std::vector<RequestedStats>& stats, const TraceSource& source,
                       const std::string& gpus, const Window& window,
                       const StatsReportOptions& options) {
  Report report("stats", source, gpus, window);
  std::vector<Facts> reports;
  for (const RequestedStats& requested : stats) {
    for (const StatsTable& table : requested.tables) {
      reports.push_back(AddTable(table, requested.request, options, report));
    }
  }
  report.fields["reports"] = std::move(reports);
  return report;
}

}  // namespace xsp
