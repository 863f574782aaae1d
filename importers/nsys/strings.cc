#include "importers/nsys/strings.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "base/utf8.h"

namespace xsp {
namespace {

constexpr std::string_view kStringTable = "StringIds";

// Ids below this are looked up in an array. Real exports number their strings from 0 without gaps.
constexpr std::int64_t kDenseIds = 1 << 22;

constexpr std::size_t kCachedTexts = 4096;

}  // namespace

NsysStringIndex::NsysStringIndex(const SqliteDb& db, const NsysCatalog& catalog, bool salvage) {
  const NsysTable* table = catalog.Find(kStringTable);
  if (table == nullptr || !table->Has("id") || !table->Has("value")) return;
  sql_ = "SELECT value FROM StringIds WHERE id = ?1";
  if (table->primary_key == "id") return;
  // Neither an index nor row numbers: each string would be a search through all of them.
  if (table->rowid.empty()) {
    sql_.clear();
    return;
  }

  by_row_ = true;
  sql_ = "SELECT value FROM StringIds WHERE " + table->rowid + " = ?1";
  constexpr std::string_view kId[] = {"id"};
  try {
    TableRows ids(db, *table, kId);
    while (ids.Next()) rows_.emplace_back(ids.row().Int(1), ids.number());
  } catch (const SqliteError&) {
    if (!salvage) throw;
    damaged = true;
  }
  std::sort(rows_.begin(), rows_.end());
}

std::optional<std::int64_t> NsysStringIndex::KeyOf(std::int64_t id) const {
  if (!by_row_) return id;
  auto it = std::lower_bound(rows_.begin(), rows_.end(),
                             std::pair(id, std::numeric_limits<std::int64_t>::min()));
  if (it == rows_.end() || it->first != id) return std::nullopt;
  return it->second;
}

NsysStrings::NsysStrings(const SqliteDb& db, const NsysStringIndex& index, TraceBuilder& builder,
                         bool salvage)
    : builder_(builder), index_(index), salvage_(salvage), texts_(kCachedTexts) {
  if (!index.sql().empty()) select_ = db.Prepare(index.sql());
}

NsysStrings::Known NsysStrings::InternBytes(std::string_view bytes) {
  if (IsUtf8(bytes)) return {builder_.Intern(bytes), kFine};
  return {builder_.Intern(ToUtf8(bytes)), kBadUtf8};
}

NsysStrings::Known NsysStrings::Read(std::int64_t id) {
  const std::optional<std::int64_t> key = index_.KeyOf(id);
  if (select_ && key) {
    try {
      select_->Reset();
      select_->Bind(1, *key);
      if (select_->Step() && !select_->IsNull(0)) return InternBytes(select_->Bytes(0));
    } catch (const SqliteError& error) {
      if (!salvage_) {
        throw SqliteError(error.code(), "string " + std::to_string(id) + ": " + error.what());
      }
      index_.damaged = true;
    }
  }
  return {builder_.Intern("name_" + std::to_string(id)), kMissing};
}

NsysStrings::Known& NsysStrings::SlotOf(std::int64_t id) {
  if (id < 0 || id >= kDenseIds) return scattered_[id];
  const auto place = static_cast<std::size_t>(id);
  if (place >= dense_.size()) dense_.resize(std::max(place + 1, dense_.size() * 2));
  return dense_[place];
}

StringId NsysStrings::ById(const NsysRow& row, int column) {
  const auto id = row.Get<std::int64_t>(column);
  if (id == xsp::kMissing<std::int64_t>) return {};
  Known& known = SlotOf(id);
  if (known.oddity == kFine) return known.id;
  if (known.oddity == kUnread) known = Read(id);
  if (known.oddity == kMissing)
    row.Note(ImportReason::kMissingString, "string " + std::to_string(id));
  if (known.oddity == kBadUtf8)
    row.Note(ImportReason::kInvalidUtf8, "string " + std::to_string(id));
  return known.id;
}

StringId NsysStrings::ById(std::int64_t id, ChunkLog& log, std::int64_t row) {
  Known& known = SlotOf(id);
  if (known.oddity == kUnread) known = Read(id);
  const std::string what = "string " + std::to_string(id);
  if (known.oddity == kMissing) log.Note(ImportReason::kMissingString, row, what);
  if (known.oddity == kBadUtf8) log.Note(ImportReason::kInvalidUtf8, row, what);
  return known.id;
}

StringId NsysStrings::Text(const NsysRow& row, int column) {
  if (row.IsNull(column)) return {};
  const std::string_view bytes = row.Bytes(column);
  CachedText& cached = texts_[std::hash<std::string_view>()(bytes) % texts_.size()];
  if (cached.known.oddity == kUnread || cached.text != bytes) {
    if (!IsUtf8(bytes)) {
      row.Note(ImportReason::kInvalidUtf8, "text");
      return builder_.Intern(ToUtf8(bytes));
    }
    std::tie(cached.known.id, cached.text) = builder_.InternView(bytes);
    cached.known.oddity = kFine;
  }
  return cached.known.id;
}

StringId NsysStrings::LongText(std::string_view bytes, const NsysRow& row) {
  const Known known = InternBytes(bytes);
  if (known.oddity == kBadUtf8) row.Note(ImportReason::kInvalidUtf8, "text");
  return known.id;
}

}  // namespace xsp
