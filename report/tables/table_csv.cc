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

// Whether a spreadsheet would run it. What is a number is none, whatever its sign.
bool IsFormula(const std::string& text) {
  if (text.size() < 2 || std::string_view("=+@-").find(text.front()) == std::string_view::npos) {
    return false;
  }
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return text.front() != '-' || *end != '\0' || text.find('\0') != std::string::npos;
}

// Texts as in the trace, but for what does harm to whoever opens the file: control characters are
// written out, and what a spreadsheet would run has an apostrophe in front. Numbers so that reading
// them back gives the same number.
std::string Field(const Cell& cell, const TableColumn& column) {
  if (cell.empty()) return {};
  if (const std::string* text = cell.text()) {
    return Quoted((IsFormula(*text) ? "'" : "") + SafeText(*text));
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
    write_line([&](std::size_t c) { return Field(row[c], table.columns()[c]); });
  });
  return csv;
}

}  // namespace xsp
