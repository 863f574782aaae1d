#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importers/sqlite_db.h"

namespace xsp {

// What a database holds, by its own word: real tables and their columns. Views and virtual tables
// are no part of an export and are left out. Nothing is ever chosen by a version number: tables
// come and go, columns too, and users add their own.
struct NsysTable {
  std::string name;
  std::vector<std::string> columns;
  std::string primary_key;  // The column, if the key is one column; else empty.
  std::string rowid;        // A name under which SQLite gives the row number; empty: there is none.

  bool Has(std::string_view column) const;
};

class NsysCatalog {
 public:
  // Throws SqliteError if the schema cannot be read. Tables whose columns cannot be read are left
  // out.
  explicit NsysCatalog(const SqliteDb& db);

  const NsysTable* Find(std::string_view table) const;
  bool Has(std::string_view table) const { return Find(table) != nullptr; }
  bool Has(std::string_view table, std::string_view column) const;
  // In the order of their names.
  const std::map<std::string, NsysTable, std::less<>>& tables() const { return tables_; }

 private:
  std::map<std::string, NsysTable, std::less<>> tables_;
};

// "SELECT <rowid>, <columns> FROM <table> <rest>". A column that the table lacks is NULL, and so is
// the row number of a table that has none.
std::string SelectSql(const NsysTable& table, std::span<const std::string_view> columns,
                      std::string_view rest = {});

// Whether the table has at least one row; false also if that cannot be found out.
bool HasRows(const SqliteDb& db, const NsysTable& table);

}  // namespace xsp
