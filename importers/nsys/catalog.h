#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importers/sqlite/db.h"

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

// Looks at the numbers of the rows that SQLite gives. Every scan does: a damaged or hostile file
// can share pages between parents, so that SQLite gives a few rows a million times over; their
// numbers, or their count, show it.
class RowOrder {
 public:
  RowOrder(const SqliteDb& db, const NsysTable& table, std::int64_t first)
      : has_numbers_(!table.rowid.empty()), lowest_(first), rows_left_(db.MostRows()) {}

  // Takes the next row, whose number is `number` (if the table has any), and gives its number: a
  // count from 1 where the table has none. Throws SqliteError.
  std::int64_t Next(std::int64_t number);

 private:
  bool has_numbers_;
  std::int64_t lowest_;  // Of the numbers that may still come.
  std::int64_t count_ = 0;
  std::uint64_t rows_left_;
};

// The rows of a table, one after the other.
class TableRows {
 public:
  // The rows numbered [first, last], both included; all of a table that has no numbers.
  TableRows(const SqliteDb& db, const NsysTable& table, std::span<const std::string_view> columns,
            std::int64_t first = std::numeric_limits<std::int64_t>::min(),
            std::int64_t last = std::numeric_limits<std::int64_t>::max());

  // Goes to the next row; false behind the last one. Throws SqliteError.
  bool Next();

  // The columns that were asked for count from 1.
  const SqliteStatement& row() const { return statement_; }
  // The row's number; a count from 1 where the table has none.
  std::int64_t number() const { return number_; }

 private:
  SqliteStatement statement_;
  RowOrder order_;
  std::int64_t number_ = 0;
};

// The same rows for one who takes them all: calls take(row, its number) for each, at little more
// than half the cost. Throws SqliteError, and whatever `take` throws.
void ScanTable(const SqliteDb& db, const NsysTable& table,
               std::span<const std::string_view> columns, std::int64_t first, std::int64_t last,
               const std::function<void(const SqliteValues& row, std::int64_t number)>& take);

// Whether the table has at least one row; false also if that cannot be found out.
bool HasRows(const SqliteDb& db, const NsysTable& table);

}  // namespace xsp
