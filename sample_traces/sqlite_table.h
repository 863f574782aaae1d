// A SQLite file that is being written, and tables that come to be with their first row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sample_traces/nsys_schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace xsp::samples {

// Owns the connection. Everything happens in one transaction without a journal: a run that fails
// leaves nothing worth keeping.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Execute(const std::string& sql);
  void Commit();
  void Close();
  sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

// Bytes, as opposed to text.
struct Blob {
  std::string_view bytes;
};

// One table of the export. `columns` names what Insert gives, in that order; a column that this
// schema lacks is dropped, one that is not named is NULL or the constant set for it.
class Table {
 public:
  Table(OutputFile& file, const SchemaVersion& schema, std::string name,
        std::initializer_list<std::string_view> columns);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  bool exists() const { return !declared_.empty(); }
  Table& Constant(std::string_view column, int64_t value);
  Table& Constant(std::string_view column, std::string_view value);

  template <typename... Values>
  void Insert(const Values&... values) {
    if (!exists()) return;
    if (insert_ == nullptr) Create();
    size_t index = 0;
    (Bind(places_[index++], values), ...);
    Step();
  }

 private:
  void Create();
  void Step();
  void Bind(int place, int64_t value);
  void Bind(int place, int32_t value) { Bind(place, int64_t{value}); }
  void Bind(int place, std::nullopt_t);
  void Bind(int place, std::string_view value);
  void Bind(int place, const std::string& value) { Bind(place, std::string_view(value)); }
  void Bind(int place, const char* value) { Bind(place, std::string_view(value)); }
  void Bind(int place, const Blob& value);
  template <typename T>
  void Bind(int place, const std::optional<T>& value) {
    value ? Bind(place, *value) : Bind(place, std::nullopt);
  }
  int Place(std::string_view column) const;

  OutputFile& file_;
  std::string name_;
  std::vector<Column> declared_;
  std::vector<int> places_;  // of the values of Insert among the columns; 0: not there
  struct ConstantValue {
    int place;
    int64_t number;
    std::optional<std::string> text;
  };
  std::vector<ConstantValue> constants_;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace xsp::samples
