#include <fmt/format.h>

#include <cstdlib>

#include "base/interrupt.h"
#include "report/tables/table_writers.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

std::string Quoted(std::string_view field) {
  if (field.find_first_of("\",\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// With the column's decimals ("52.0") where these say it all, else with as many as it takes.
std::string Number(double number, const TableColumn& column) {
  if (column.kind == ColumnKind::kFloat) {
    std::string fixed = fmt::format("{:.{}f}", number, column.decimals);
    if (std::strtod(fixed.c_str(), nullptr) == number) return fixed;
  }
  return fmt::format("{}", number);
}

// Texts as in the trace, but for what does harm to whoever opens the file: control characters are
// written out, and what a spreadsheet would run has an apostrophe in front. Numbers so that reading
// them back gives the same number. A name may begin with '-'; only where a table says so is that
// guarded, too.
std::string Field(const Cell& cell, const TableColumn& column, bool guards_minus) {
  if (cell.empty()) return {};
  if (const std::string* text = cell.text()) {
    const std::string_view marks = guards_minus ? "=+@-" : "=+@";
    const bool is_formula = text->size() > 1 && marks.find(text->front()) != std::string_view::npos;
    return Quoted((is_formula ? "'" : "") + SafeText(*text));
  }
  if (const std::int64_t* number = cell.integer()) return std::to_string(*number);
  if (const bool* flag = cell.flag()) return *flag ? "true" : "false";
  return Number(cell.AsDouble(), column);
}

}  // namespace

std::string WriteCsvTable(const Table& table) {
  std::string csv;
  auto write_line = [&](auto field) {
    bool first = true;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (!table.columns()[c].ForCsv()) continue;
      if (!first) csv += ',';
      first = false;
      csv += field(c);
    }
    csv += "\r\n";
  };
  write_line([&](std::size_t c) { return Quoted(table.columns()[c].key); });
  InterruptPoll poll;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    poll();
    write_line(
        [&](std::size_t c) { return Field(row[c], table.columns()[c], table.formulas_guarded()); });
  });
  return csv;
}

}  // namespace xsp
