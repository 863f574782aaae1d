#include "importers/nsys/catalog.h"

#include <algorithm>
#include <cctype>

namespace xsp {
namespace {

// A name for the row number that no column of the table hides, if the table has row numbers.
std::string RowidName(const SqliteDb& db, const NsysTable& table) {
  for (const char* name : {"_rowid_", "rowid", "oid"}) {
    if (table.Has(name)) continue;
    try {
      db.Prepare(std::string("SELECT ") + name + " FROM " + Quoted(table.name) + " LIMIT 0");
      return name;
    } catch (const SqliteError&) {
      return {};
    }
  }
  return {};
}

void ReadColumns(const SqliteDb& db, NsysTable& table) {
  SqliteStatement info = db.Prepare("PRAGMA table_info(" + Quoted(table.name) + ")");
  int key_columns = 0;
  while (info.Step()) {
    table.columns.emplace_back(info.Bytes(1));
    if (info.Int(5) > 0) {
      ++key_columns;
      table.primary_key = table.columns.back();
    }
  }
  if (key_columns != 1) table.primary_key.clear();
  table.rowid = RowidName(db, table);
}

}  // namespace

bool NsysTable::Has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

NsysCatalog::NsysCatalog(const SqliteDb& db) {
  SqliteStatement list = db.Prepare("SELECT name FROM sqlite_master WHERE type = 'table'");
  while (list.Step()) {
    NsysTable table;
    table.name = list.Bytes(0);
    if (table.name.starts_with("sqlite_") || Has(table.name)) continue;
    try {
      ReadColumns(db, table);
    } catch (const SqliteError&) {
      continue;  // A virtual table, or one whose definition is damaged.
    }
    std::string name = table.name;
    tables_.emplace(std::move(name), std::move(table));
  }
}

const NsysTable* NsysCatalog::Find(std::string_view table) const {
  auto it = tables_.find(table);
  return it == tables_.end() ? nullptr : &it->second;
}

bool NsysCatalog::Has(std::string_view table, std::string_view column) const {
  const NsysTable* found = Find(table);
  return found != nullptr && found->Has(column);
}

namespace {

// "<rowid>, <columns>". A column that the table lacks is NULL, and so is the row number of a table
// that has none.
std::string ValuesSql(const NsysTable& table, std::span<const std::string_view> columns) {
  std::string sql = table.rowid.empty() ? "NULL" : table.rowid;
  for (std::string_view column : columns) {
    sql += table.Has(column) ? ", " + Quoted(column) : ", NULL";
  }
  return sql;
}

// "FROM <table> WHERE <rowid> BETWEEN ?1 AND ?2".
std::string FromSql(const NsysTable& table) {
  const std::string sql = "FROM " + Quoted(table.name);
  if (table.rowid.empty()) return sql;
  return sql + " WHERE " + table.rowid + " >= ?1 AND " + table.rowid + " <= ?2";
}

}  // namespace

std::int64_t RowOrder::Next(std::int64_t number) {
  if (rows_left_-- == 0) {
    throw SqliteError(SQLITE_CORRUPT, "gives more rows than a file of this size can hold");
  }
  if (!has_numbers_) return ++count_;
  if (number < lowest_) throw SqliteError(SQLITE_CORRUPT, "row numbers are not in order");
  lowest_ = number == std::numeric_limits<std::int64_t>::max() ? number : number + 1;
  return number;
}

TableRows::TableRows(const SqliteDb& db, const NsysTable& table,
                     std::span<const std::string_view> columns, std::int64_t first,
                     std::int64_t last)
    : statement_(db.Prepare("SELECT " + ValuesSql(table, columns) + " " + FromSql(table))),
      order_(db, table, first) {
  statement_.Bind(1, first);
  statement_.Bind(2, last);
}

bool TableRows::Next() {
  if (!statement_.Step()) return false;
  number_ = order_.Next(statement_.Int(0));
  return true;
}

void ScanTable(const SqliteDb& db, const NsysTable& table,
               std::span<const std::string_view> columns, std::int64_t first, std::int64_t last,
               const std::function<void(const SqliteValues& row, std::int64_t number)>& take) {
  RowOrder order(db, table, first);
  db.ForEachRow(ValuesSql(table, columns), FromSql(table), first, last,
                [&](const SqliteValues& row) { take(row, order.Next(row.Int(0))); });
}

bool HasRows(const SqliteDb& db, const NsysTable& table) {
  try {
    return db.Prepare("SELECT 1 FROM " + Quoted(table.name) + " LIMIT 1").Step();
  } catch (const SqliteError&) {
    return false;
  }
}

}  // namespace xsp
