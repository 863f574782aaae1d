#include <fmt/format.h>

#include <cstdlib>

#include "report/table_writers.h"
#include "report/text.h"

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

// Names exactly as in the trace, numbers so that reading them back gives the same number.
std::string Field(const Cell& cell, const TableColumn& column, bool guarded) {
  if (cell.empty()) return {};
  if (const std::string* text = cell.text()) {
    const bool is_formula = !text->empty() && std::string_view("=+-@\t\r").find(text->front()) !=
                                                  std::string_view::npos;
    return Quoted((guarded && is_formula ? "'" : "") + ValidUtf8(*text));
  }
  if (const std::int64_t* number = cell.integer()) return std::to_string(*number);
  return Number(cell.AsDouble(), column);
}

}  // namespace

std::string WriteCsvTable(const Table& table) {
  std::string csv;
  auto write_line = [&](auto field) {
    bool first = true;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (!table.columns()[c].ForScripts()) continue;
      if (!first) csv += ',';
      first = false;
      csv += field(c);
    }
    csv += "\r\n";
  };
  write_line([&](std::size_t c) { return Quoted(table.columns()[c].key); });
  table.ForEachRow([&](const std::vector<Cell>& row) {
    write_line(
        [&](std::size_t c) { return Field(row[c], table.columns()[c], table.formulas_guarded()); });
  });
  return csv;
}

}  // namespace xsp
