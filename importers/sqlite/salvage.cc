#include "importers/sqlite/salvage.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include "importers/sqlite/schema_pages.h"

namespace xsp {
namespace {

using Bytes = unsigned char*;

constexpr std::size_t kPageCountAt = 28;

// Room in memory for `size` bytes, all zero; what is never touched takes nothing.
std::shared_ptr<unsigned char> Room(std::size_t size) {
  void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<Bytes>(room), [size](Bytes bytes) { munmap(bytes, size); }};
}

void PutBigEndian(Bytes at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = size; i-- > 0; value >>= 8) at[i] = static_cast<unsigned char>(value);
}

std::uint64_t GetBigEndian(const unsigned char* at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | at[i];
  return value;
}

// How many pages the file had before it was cut off, by its own word, if that can be believed.
std::uint64_t PagesOnce(const unsigned char* file, std::uint64_t pages, std::uint64_t page_bytes) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
  const std::uint64_t said = GetBigEndian(file + kPageCountAt, 4);
  return said > pages && said <= kMostBytes / page_bytes ? said : pages;
}

// Makes page 1 an empty list, in a file of `pages` pages with none of them free and no journal.
// https://www.sqlite.org/fileformat2.html#the_database_header
void EmptyPageOne(Bytes file, std::uint64_t page_bytes, std::uint64_t pages) {
  PutBigEndian(file + 18, 2, 0x0101);          // A file without a write-ahead log.
  PutBigEndian(file + 21, 3, 0x402020);        // Always so.
  std::fill(file + 24, file + 56, 0);          // Counters, free pages, vacuum.
  std::fill(file + 60, file + page_bytes, 0);  // The same, and the old list.
  PutBigEndian(file + kPageCountAt, 4, pages);
  PutBigEndian(file + 44, 4, 4);  // The format of the list.
  file[100] = 0x0D;               // A leaf of a table; where its rows, none, begin.
  PutBigEndian(file + 105, 2, page_bytes - file[20]);
}

// SQLite itself writes the rows, into pages behind the last one. Indices but SQLite's own are left
// out: nothing needs them.
void WriteList(Bytes file, std::size_t used, std::size_t room, const std::vector<SchemaRow>& rows) {
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(handle, sqlite3_close_v2);
  if (code == SQLITE_OK) {
    code = sqlite3_deserialize(handle, "main", file, static_cast<sqlite3_int64>(used),
                               static_cast<sqlite3_int64>(room), 0);
  }
  if (code != SQLITE_OK) throw SqliteError(code, sqlite3_errmsg(handle));
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  SqliteBudget budget;
  SqliteStatement(handle, "BEGIN", &budget).Step();
  SqliteStatement insert(handle, "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, nullif(?, ''))",
                         &budget);
  for (const SchemaRow& row : rows) {
    if (row.type != "table" && !row.sql.empty()) continue;
    insert.Reset();
    insert.Bind(1, row.type);
    insert.Bind(2, row.name);
    insert.Bind(3, row.table);
    insert.Bind(4, std::int64_t{row.root_page});
    insert.Bind(5, row.sql);
    insert.Step();
  }
  SqliteStatement(handle, "COMMIT", &budget).Step();
}

// How much of a file can be kept at all: it is read whole, and most of one that was given a length
// and never written is nothing. Files that a file system packs take less than their length, too,
// but not by so much.
bool IsMostlyHoles(const std::filesystem::path& file, std::uint64_t bytes) {
  constexpr std::uint64_t kMostPacked = 64, kSmall = 64 << 20, kBlock = 512;
  struct stat facts;
  return stat(file.c_str(), &facts) == 0 &&
         bytes > kMostPacked * kBlock * static_cast<std::uint64_t>(facts.st_blocks) + kSmall;
}

std::size_t ReadInto(Bytes to, std::size_t size, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(size));
  return static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0));
}

// Enough for the pages of a list of these rows.
std::uint64_t RoomFor(const std::vector<SchemaRow>& rows, std::uint64_t page_bytes) {
  std::uint64_t bytes = 16 * page_bytes;
  for (const SchemaRow& row : rows) {
    bytes += 2 * (row.sql.size() + row.name.size() + row.table.size() + 100);
    bytes += row.sql.size() > page_bytes / 4 ? 2 * page_bytes : 0;  // Pages of its own.
  }
  return bytes / page_bytes * page_bytes;
}

}  // namespace

std::shared_ptr<const SqliteImage> RebuildTableList(const std::filesystem::path& file) {
  std::error_code error;
  std::size_t bytes = std::filesystem::file_size(file, error);
  if (error || bytes == 0 || IsMostlyHoles(file, bytes)) return nullptr;
  std::shared_ptr<unsigned char> read = Room(bytes);
  bytes = ReadInto(read.get(), bytes, file);
  const SchemaPages list = ReadSchemaPages({reinterpret_cast<char*>(read.get()), bytes});
  if (list.rows.empty()) return nullptr;

  // The list goes behind all pages that tables can speak of: those that were cut off read as zeros,
  // which is no page. A page that is there in part would give rows of nothing.
  const std::uint64_t pages = bytes / list.page_bytes;
  const std::uint64_t once = PagesOnce(read.get(), pages, list.page_bytes);
  const std::size_t used = once * list.page_bytes;
  const std::size_t room = used + RoomFor(list.rows, list.page_bytes);
  auto image = std::make_shared<SqliteImage>();
  image->bytes = Room(room);
  image->lost_pages = list.lost;
  std::copy_n(read.get(), pages * list.page_bytes, image->bytes.get());
  read.reset();
  EmptyPageOne(image->bytes.get(), list.page_bytes, once);
  WriteList(image->bytes.get(), used, room, list.rows);
  image->size = GetBigEndian(image->bytes.get() + kPageCountAt, 4) * list.page_bytes;
  return image;
}

}  // namespace xsp
