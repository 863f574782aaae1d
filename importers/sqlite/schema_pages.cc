#include "importers/sqlite/schema_pages.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace xsp {
namespace {

// The file format is SQLite's: https://www.sqlite.org/fileformat2.html
constexpr std::size_t kFileHeader = 100;
constexpr unsigned kLeaf = 0x0D, kInterior = 0x05;  // Pages of a table.

// StringIds stands at the end of page 1, where the list's first pointers overwrite its definition;
// it has been the same in every export.
constexpr std::string_view kStringTable = "StringIds";
constexpr char kStringSql[] = "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)";

// A number of `size` bytes at `at`; 0 behind the end.
std::uint64_t Number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  if (at + size > bytes.size()) return value;
  for (char c : bytes.substr(at, size)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// SQLite's numbers of one to nine bytes. Nothing if the bytes end within it.
std::optional<std::uint64_t> TakeVarint(std::string_view* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes->size() && i < 9; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    value = i == 8 ? value << 8 | byte : value << 7 | (byte & 0x7F);
    if (i < 8 && byte & 0x80) continue;
    bytes->remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

// How many bytes a value of a record takes, by its type; nothing for a type that no list has.
std::optional<std::uint64_t> ValueBytes(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 10> kFixed = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (type < kFixed.size()) return kFixed[type];
  if (type < 12) return std::nullopt;
  return (type - 12) / 2;
}

// The row in a record: type, name, table, root page, SQL. `needs` is how many bytes that takes.
std::optional<SchemaRow> ParseRecord(std::string_view record, std::uint64_t* needs) {
  std::string_view header = record;
  const std::optional<std::uint64_t> header_bytes = TakeVarint(&header);
  if (!header_bytes || *header_bytes > record.size()) return std::nullopt;
  std::uint64_t at = *header_bytes;
  std::array<std::string_view, 5> values;
  std::array<std::uint64_t, 5> types;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<std::uint64_t> type = TakeVarint(&header);
    const std::optional<std::uint64_t> size = type ? ValueBytes(*type) : std::nullopt;
    if (!size || *size > (std::uint64_t{1} << 32)) return std::nullopt;
    types[i] = *type;
    if (at < record.size()) values[i] = record.substr(at, *size);
    at += *size;
  }
  *needs = at;
  if (at > record.size()) return std::nullopt;
  const std::uint64_t root = types[3] == 9 ? 1 : Number(values[3], 0, values[3].size());
  if (types[3] > 9 || root > UINT32_MAX) return std::nullopt;
  return SchemaRow{std::string(values[0]), std::string(values[1]), std::string(values[2]),
                   static_cast<std::uint32_t>(root), std::string(values[4])};
}

class SchemaReader {
 public:
  SchemaReader(std::string_view file, std::uint32_t page_bytes)
      : file_(file),
        page_bytes_(page_bytes),
        usable_(page_bytes - Number(file, 20, 1)),
        text_left_(file.size()) {
    result_.page_bytes = page_bytes;
  }

  SchemaPages Read() {
    std::vector<std::uint64_t> open = {1};
    std::set<std::uint64_t> seen;
    while (!open.empty()) {
      const std::uint64_t page = open.back();
      open.pop_back();
      if (!seen.insert(page).second || !ReadPage(page, &open)) ++result_.lost;
    }
    if (result_.lost > 0) ReadLeftovers();
    return std::move(result_);
  }

 private:
  std::string_view Page(std::uint64_t number) const {
    if (number == 0 || number > file_.size() / page_bytes_) return {};
    return file_.substr((number - 1) * page_bytes_, page_bytes_);
  }

  // Takes the rows of a leaf, or puts the pages below a page on `open`, the first one on top.
  bool ReadPage(std::uint64_t number, std::vector<std::uint64_t>* open) {
    const std::string_view page = Page(number);
    const std::size_t head = number == 1 ? kFileHeader : 0;
    const std::uint64_t type = Number(page, head, 1);
    const std::uint64_t cells = std::min(Number(page, head + 3, 2), page.size() / 2);
    if (type != kLeaf && type != kInterior) return false;
    const std::size_t pointers = head + (type == kLeaf ? 8 : 12);
    const std::size_t first = open->size();
    for (std::uint64_t i = 0; i < cells; ++i) {
      const std::uint64_t cell = Number(page, pointers + 2 * i, 2);
      if (type == kInterior) open->push_back(Number(page, cell, 4));
      if (type == kLeaf && cell < page.size()) ReadCell(page.substr(cell));
    }
    if (type == kInterior) open->push_back(Number(page, head + 8, 4));
    std::reverse(open->begin() + static_cast<std::ptrdiff_t>(first), open->end());
    return true;
  }

  void ReadCell(std::string_view cell) {
    const std::optional<std::uint64_t> bytes = TakeVarint(&cell);
    if (!bytes || !TakeVarint(&cell)) return;  // The second one is the row's number.
    if (*bytes > text_left_) return;
    text_left_ -= *bytes;
    std::uint64_t needs = 0;
    if (auto row = ParseRecord(Payload(cell, *bytes), &needs)) Keep(std::move(*row));
  }

  // A long record goes on in pages of its own, each with the number of the next one in front.
  std::string Payload(std::string_view cell, std::uint64_t bytes) const {
    const std::uint64_t most = usable_ - 35, least = (usable_ - 12) * 32 / 255 - 23;
    std::uint64_t here = bytes;
    if (bytes > most) {
      here = least + (bytes - least) % (usable_ - 4);
      if (here > most) here = least;
    }
    std::string payload(cell.substr(0, here));
    std::uint64_t next = Number(cell, here, 4);
    while (payload.size() < bytes) {
      const std::string_view page = Page(next);
      if (page.empty()) break;
      payload += page.substr(4, std::min(bytes - payload.size(), usable_ - 4));
      next = Number(page, 0, 4);
    }
    return payload;
  }

  void Keep(SchemaRow row) {
    if (names_.insert(row.name).second) result_.rows.push_back(std::move(row));
  }

  // Rows of tables in the free part of page 1: their first value is the word itself. From
  // `overwritten` on the page holds other things by now.
  void ReadLeftovers() {
    constexpr std::string_view kWord = "table";
    const std::string_view page = Page(1);
    const std::uint64_t overwritten = Number(page, kFileHeader + 5, 2);
    if (Number(page, kFileHeader, 1) != kInterior) return;
    for (std::size_t at = page.find(kWord); at != page.npos; at = page.find(kWord, at + 1)) {
      for (std::size_t header = 6; header <= 9 && header + kFileHeader < at; ++header) {
        const std::size_t begin = at - header;
        if (Number(page, begin, 1) != header) continue;
        std::uint64_t needs = 0;
        std::optional<SchemaRow> row = ParseRecord(page.substr(begin), &needs);
        if (!row || row->type != kWord || row->name.empty() || row->name != row->table) continue;
        if (begin + needs > overwritten) {
          if (row->name != kStringTable) continue;
          row->sql = kStringSql;
        }
        if (IsTable(row->root_page)) Keep(std::move(*row));
      }
    }
  }

  // Whether the rows of a table can begin at this page; also true where the file does not say.
  bool IsTable(std::uint64_t root) const {
    const std::string_view page = Page(root);
    const std::uint64_t type = Number(page, 0, 1);
    return root > 1 && (page.empty() || type == kLeaf || type == kInterior);
  }

  std::string_view file_;
  std::uint64_t page_bytes_;
  std::uint64_t usable_;     // Of a page.
  std::uint64_t text_left_;  // Bytes of records that the file can still explain.
  std::set<std::string> names_;
  SchemaPages result_;
};

}  // namespace

SchemaPages ReadSchemaPages(std::string_view file) {
  constexpr std::uint64_t kUtf8 = 1;
  std::uint64_t page_bytes = Number(file, 16, 2);
  if (page_bytes == 1) page_bytes = 65536;
  const bool is_power = page_bytes >= 512 && (page_bytes & (page_bytes - 1)) == 0;
  if (!is_power || page_bytes - Number(file, 20, 1) < 480 || Number(file, 56, 4) != kUtf8)
    return {};
  return SchemaReader(file, static_cast<std::uint32_t>(page_bytes)).Read();
}

}  // namespace xsp
