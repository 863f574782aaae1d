#include "base/interrupt.h"
#include "report/tables/table_writers.h"

namespace xsp {
namespace {

Json ValueOf(const Cell& cell) {
  if (cell.empty()) return nullptr;
  if (const std::string* text = cell.text()) return JsonText(*text);
  if (const std::int64_t* number = cell.integer()) return *number;
  if (const bool* flag = cell.flag()) return *flag;
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

Json RowsByKeyToJson(const Table& table, const std::string& key) {
  Json object = Json::object();
  for (Json& row : TableRowsToJson(table)) {
    const std::string name = row[key];
    row.erase(key);
    object[name] = std::move(row);
  }
  return object;
}

Json NestedRowsToJson(const Table& table, const Table& parts, const std::string& key,
                      const std::string& list) {
  Json rows = TableRowsToJson(table);
  for (Json& row : rows) row[list] = Json::array();
  for (Json& part : TableRowsToJson(parts)) {
    for (Json& row : rows) {
      if (row[key] != part[key]) continue;
      part.erase(key);
      row[list].push_back(part);
      break;
    }
  }
  return rows;
}

}  // namespace xsp
