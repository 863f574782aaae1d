#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/nsys/catalog.h"
#include "importers/nsys/row.h"
#include "importers/sqlite/db.h"
#include "model/building/trace_builder.h"

namespace xsp {

// How strings are found by id. StringIds holds the environments of processes among its strings, so
// it is never read as a whole: only the ids are, and only where SQLite has no index on them.
class NsysStringIndex {
 public:
  // With `salvage`, ids up to the damage are known; else SqliteError.
  NsysStringIndex(const SqliteDb& db, const NsysCatalog& catalog, bool salvage);

  // The SELECT with one parameter that finds a string; empty if the export has no strings.
  const std::string& sql() const { return sql_; }
  // The parameter to use for an id; nothing if there is no such string.
  std::optional<std::int64_t> KeyOf(std::int64_t id) const;

  // Set when a string could not be read because the file is damaged (salvaging only).
  mutable std::atomic<bool> damaged = false;

 private:
  std::string sql_;
  bool by_row_ = false;
  std::vector<std::pair<std::int64_t, std::int64_t>> rows_;  // (id, row), sorted.
};

// One thread's view of the strings of an export: by id, or given as text in a row. Each string
// takes the builder's lock once per thread.
class NsysStrings {
 public:
  NsysStrings(const SqliteDb& db, const NsysStringIndex& index, TraceBuilder& builder,
              bool salvage);

  // The string whose id stands in a column; none for NULL. A string that is not in the export is
  // called name_<id>.
  StringId ById(const NsysRow& row, int column);
  StringId ById(std::int64_t id, ChunkLog& log, std::int64_t row);

  // The text in a column; none for NULL.
  StringId Text(const NsysRow& row, int column);

  // A name that some versions give as text and others by id.
  StringId Any(const NsysRow& row, int column) {
    return row.IsText(column) ? Text(row, column) : ById(row, column);
  }

  // A text that will hardly come again: not remembered.
  StringId LongText(std::string_view bytes, const NsysRow& row);

 private:
  enum Oddity : std::uint8_t { kFine = 0, kUnread, kMissing, kBadUtf8 };
  struct Known {
    StringId id;
    Oddity oddity = kUnread;
  };

  Known Read(std::int64_t id);
  Known InternBytes(std::string_view bytes);
  Known& SlotOf(std::int64_t id);

  TraceBuilder& builder_;
  const NsysStringIndex& index_;
  std::optional<SqliteStatement> select_;
  bool salvage_;
  std::vector<Known> dense_;                           // By id, for small ids.
  std::unordered_map<std::int64_t, Known> scattered_;  // For all others.
  // Texts of rows, by their hash: some come in every step, others only once.
  struct CachedText {
    std::string_view text;  // The builder's copy.
    Known known;
  };
  std::vector<CachedText> texts_;
};

}  // namespace xsp
