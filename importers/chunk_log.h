#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace xsp
