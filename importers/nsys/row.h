#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "importers/sqlite/db.h"
#include "model/column.h"
#include "model/import_log.h"

namespace xsp {

// The oddities of a run of rows of one table, cheap enough to be asked for every row. A row counts
// once per reason, however many of its columns are odd in that way.
class ChunkLog {
 public:
  // `what` goes into the sample if this is the first such row: "start 5, end 3".
  void Note(ImportReason reason, std::int64_t row, std::string_view what) {
    Entry& entry = entries_[static_cast<std::size_t>(reason)];
    if (entry.count > 0 && entry.last_row == row) return;
    if (entry.count == 0) entry.sample = "row " + std::to_string(row) + ": " + std::string(what);
    entry.last_row = row;
    ++entry.count;
  }

  // A stretch of rows that could not be read.
  void NoteDamage(std::uint64_t rows, std::string_view what) {
    Entry& entry = entries_[static_cast<std::size_t>(ImportReason::kDamaged)];
    if (entry.count == 0) entry.sample = what;
    entry.count += rows;
  }

  void Kept(std::uint64_t rows = 1) { kept_ += rows; }

  void AddTo(ImportLog& log, std::string_view table) const {
    if (kept_ > 0) log.AddKept(table, kept_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (entry.count > 0) {
        log.AddIssue(table, static_cast<ImportReason>(i), entry.sample, entry.count);
      }
    }
  }

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::int64_t last_row = 0;
    std::string sample;
  };
  std::array<Entry, kImportReasonCount> entries_;
  std::uint64_t kept_ = 0;
};

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
