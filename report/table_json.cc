#include "model/interrupt.h"
#include "report/table_writers.h"

namespace xsp {
namespace {

Json ValueOf(const Cell& cell) {
  if (cell.empty()) return nullptr;
  if (const std::string* text = cell.text()) return JsonText(*text);
  if (const std::int64_t* number = cell.integer()) return *number;
  return cell.AsDouble();
}

}  // namespace

Json RowToJson(const Table& table, const std::vector<Cell>& row) {
  Json object = Json::object();
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const TableColumn& column = table.columns()[c];
    if (column.ForScripts()) object[column.key] = ValueOf(row[c]);
  }
  return object;
}

Json TableRowsToJson(const Table& table) {
  Json rows = Json::array();
  InterruptPoll poll;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    poll();
    rows.push_back(RowToJson(table, row));
  });
  return rows;
}

}  // namespace xsp
