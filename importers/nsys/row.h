#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <string_view>

#include "importers/chunk_log.h"
#include "importers/sqlite/db.h"
#include "model/column.h"

namespace xsp {

// One row of a table that is being scanned. Column 0 is the row number, then come the columns that
// the reader asked for, in its order. Any column may hold anything, whatever the schema declares:
// what is no number, or none that fits, is treated as missing and noted.
class NsysRow {
 public:
  NsysRow(const SqliteValues& values, std::int64_t number, ChunkLog& log)
      : values_(values), number_(number), log_(&log) {}

  std::int64_t number() const { return number_; }

  bool IsNull(int column) const { return values_.Type(column) == SQLITE_NULL; }

  // The number, or kMissing<T>. The largest unsigned value is nsys' own "none" as well.
  template <class T>
  T Get(int column) const {
    const std::int64_t value = values_.Int(column);
    if (value == 0) return IsZero(column) ? T{0} : kMissing<T>;
    if constexpr (sizeof(T) < sizeof(value)) {
      if (value < std::int64_t{std::numeric_limits<T>::min()} ||
          value > std::int64_t{std::numeric_limits<T>::max()}) {
        Note(ImportReason::kOutOfRange, "a number that does not fit");
        return kMissing<T>;
      }
    }
    return static_cast<T>(value);
  }

  // The same, with another value for "missing".
  template <class T>
  T Get(int column, T missing) const {
    const T value = Get<T>(column);
    return value == kMissing<T> ? missing : value;
  }

  double Double(int column) const { return values_.Double(column); }

  bool IsText(int column) const { return values_.Type(column) == SQLITE_TEXT; }

  // Text or blob as bytes, valid until the next row; empty for NULL.
  std::string_view Bytes(int column) const { return values_.Bytes(column); }

  void Note(ImportReason reason, std::string_view what) const { log_->Note(reason, number_, what); }

 private:
  // Whether a value that reads as 0 is 0 and not NULL or something else.
  bool IsZero(int column) const {
    const int type = values_.Type(column);
    if (type == SQLITE_INTEGER) return true;
    if (type != SQLITE_NULL) Note(ImportReason::kOutOfRange, "not a number");
    return false;
  }

  SqliteValues values_;
  std::int64_t number_;
  ChunkLog* log_;
};

}  // namespace xsp
