#include "tests/unit/stats/table_text.h"

#include <cstdio>

namespace xsp::test {
namespace {

int Decimals(StatsKind kind) {
  return kind == StatsKind::kMegabytes || kind == StatsKind::kMegabytesPerS ? 3 : 1;
}

std::string Render(const Trace& trace, std::string_view request, GroupBy by, bool header) {
  TraceIndexes indexes(trace);
  std::string text = "\n";
  for (const StatsTable& table :
       RunReport(ParseReportRequest(request), EventSelection(trace), by, indexes)) {
    const std::size_t columns = table.columns().size();
    for (std::size_t c = 0; header && c < columns; ++c) {
      text += FullName(table.columns()[c]) + (c + 1 < columns ? " | " : "\n");
    }
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        text += CellText(table, r, c) + (c + 1 < columns ? " | " : "\n");
      }
    }
    if (!table.note().empty()) text += table.note() + "\n";
  }
  return text;
}

}  // namespace

std::string CellText(const StatsTable& table, std::size_t row, std::size_t column) {
  if (const auto text = table.Text(row, column)) return std::string(*text);
  if (const auto number = table.Integer(row, column)) return std::to_string(*number);
  const auto real = table.Real(row, column);
  if (!real) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", Decimals(table.columns()[column].kind), *real);
  return text;
}

std::string ReportText(const Trace& trace, std::string_view request, GroupBy by) {
  return Render(trace, request, by, true);
}

std::string ReportRows(const Trace& trace, std::string_view request, GroupBy by) {
  return Render(trace, request, by, false);
}

}  // namespace xsp::test
