#include "importers/nsys_catalog.h"

#include <algorithm>
#include <cctype>

namespace xsp {
namespace {

bool IsVirtual(std::string_view sql) {
  constexpr std::string_view kPrefix = "create virtual";
  if (sql.size() < kPrefix.size()) return false;
  return std::equal(kPrefix.begin(), kPrefix.end(), sql.begin(), [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  });
}

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
  SqliteStatement list = db.Prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'");
  while (list.Step()) {
    if (list.Bytes(0).starts_with("sqlite_") || IsVirtual(list.Bytes(1))) continue;
    NsysTable table;
    table.name = list.Bytes(0);
    try {
      ReadColumns(db, table);
    } catch (const SqliteError&) {
      continue;
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

std::string SelectSql(const NsysTable& table, std::span<const std::string_view> columns,
                      std::string_view rest) {
  std::string sql = "SELECT " + (table.rowid.empty() ? "NULL" : table.rowid);
  for (std::string_view column : columns) {
    sql += table.Has(column) ? ", " + Quoted(column) : ", NULL";
  }
  return sql + " FROM " + Quoted(table.name) + ' ' + std::string(rest);
}

bool HasRows(const SqliteDb& db, const NsysTable& table) {
  try {
    return db.Prepare("SELECT 1 FROM " + Quoted(table.name) + " LIMIT 1").Step();
  } catch (const SqliteError&) {
    return false;
  }
}

}  // namespace xsp
