#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace xsp {

// SQLite refused. Whoever reads a table turns this into an Error that names table and row.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

// A copy of a damaged file in memory, with a list of tables that SQLite can read.
struct SqliteImage {
  std::shared_ptr<unsigned char> bytes;
  std::size_t size = 0;
  std::size_t lost_pages = 0;  // Of the file's own list: tables may be missing.
};

// How a file is opened: decided once, then the same for each thread's own connection.
struct SqliteAccess {
  std::filesystem::path file;
  // Take the file as it lies there: no locks, no look at a journal, works in a read-only folder.
  bool immutable = true;
  // Read past damage where possible: a file that is shorter than its header says, a schema with
  // entries that make no sense. Nothing is ever written.
  bool salvage = false;
  // What to read instead of the file, if there is one.
  std::shared_ptr<const SqliteImage> image = nullptr;
};

// What reading one file may cost one connection. Both limits grow with the file and lie far above
// what a sound one needs: pages that a damaged or hostile file shares between parents are read a
// million times, and a default in the schema or a shared overflow chain gives every row megabytes.
struct SqliteBudget {
  std::uint64_t text_bytes = 0;  // Bytes that may still be handed out.
  std::uint64_t checks = 0;      // How often SQLite may still report kStepsPerCheck steps.
};

// A prepared statement. Columns count from 0, parameters from 1.
class SqliteStatement {
 public:
  // `budget` lives as long as the statement.
  SqliteStatement(sqlite3* db, const std::string& sql, SqliteBudget* budget);

  void Bind(int parameter, std::int64_t value);
  // `text` stays where it is until the statement has stepped.
  void Bind(int parameter, std::string_view text);
  // Goes to the next row; false after the last one.
  bool Step();
  void Reset() { sqlite3_reset(statement_.get()); }

  std::int64_t Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  bool IsNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  // Text or blob as bytes; valid until the next Step. May hold zero bytes. Throws SqliteError where
  // the file gives more text than it can hold.
  std::string_view Bytes(int column) const;

  sqlite3_stmt* get() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  SqliteBudget* budget_;
};

// The values of a row as SQLite gives them to a function: far cheaper to look at than the columns
// of a statement. They count from 0 and are valid until the function returns.
class SqliteValues {
 public:
  SqliteValues(sqlite3_value** values, SqliteBudget& budget) : values_(values), budget_(&budget) {}

  std::int64_t Int(int i) const { return sqlite3_value_int64(values_[i]); }
  double Double(int i) const { return sqlite3_value_double(values_[i]); }
  int Type(int i) const { return sqlite3_value_type(values_[i]); }
  // As SqliteStatement::Bytes.
  std::string_view Bytes(int i) const;

 private:
  sqlite3_value** values_;
  SqliteBudget* budget_;
};

using SqliteRowTaker = std::function<void(const SqliteValues&)>;

// A read-only connection, for one thread. The file is hostile until proven otherwise: extensions,
// triggers, views, virtual tables and functions in the schema are off, sizes and work are limited,
// cells are checked.
class SqliteDb {
 public:
  // Throws SqliteError. `access` lives as long as the connection.
  explicit SqliteDb(const SqliteAccess& access);

  SqliteStatement Prepare(const std::string& sql) const { return {db_.get(), sql, budget_.get()}; }
  // Calls take(row) with the values of each row of "SELECT <values> <from>", whose parameters are
  // `first` and `last`. Passes on what `take` throws; SqliteError where SQLite fails.
  void ForEachRow(const std::string& values, const std::string& from, std::int64_t first,
                  std::int64_t last, const SqliteRowTaker& take) const;
  // The most rows that a file of this size can hold.
  std::uint64_t MostRows() const { return most_rows_; }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  // Who takes the rows that SQLite is reading, and what it threw.
  struct Receiver {
    SqliteBudget* budget = nullptr;
    const SqliteRowTaker* take = nullptr;
    std::exception_ptr thrown;
  };
  static void TakeRow(sqlite3_context* context, int count, sqlite3_value** values) noexcept;
  void Open(const SqliteAccess& access);

  // In front of db_, which refers to both.
  std::unique_ptr<SqliteBudget> budget_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<sqlite3, Close> db_;
  std::uint64_t most_rows_ = 0;
};

// "name" as an SQL identifier.
std::string Quoted(std::string_view name);

// The URI under which SQLite opens exactly this file, whatever characters its path has.
std::string SqliteUri(const SqliteAccess& access);

}  // namespace xsp
