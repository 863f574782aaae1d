#include "importers/sqlite_db.h"

namespace xsp {
namespace {

// Far above the longest string of any real export (83 kB), far below what hurts.
constexpr int kMaxValueBytes = 64 << 20;

void Configure(sqlite3* db, bool salvage) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  // SQLite reads a truncated file, and passes over broken schema entries, only where the schema may
  // be written; the connection itself is read-only all the same.
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, salvage ? 0 : 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, salvage ? 1 : 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", nullptr, nullptr, nullptr);
}

}  // namespace

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string SqliteUri(const SqliteAccess& access) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (char c : std::filesystem::absolute(access.file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri + (access.immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

SqliteStatement::SqliteStatement(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size() + 1), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) throw SqliteError(code, sqlite3_errmsg(db));
}

void SqliteStatement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
}

bool SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SqliteError(code, sqlite3_errmsg(sqlite3_db_handle(statement_.get())));
}

std::string_view SqliteStatement::Bytes(int column) const {
  // The pointer must be asked for before the size; an empty value has none.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

SqliteDb::SqliteDb(const SqliteAccess& access) {
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(SqliteUri(access).c_str(), &db, flags, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) throw SqliteError(code, db ? sqlite3_errmsg(db) : "out of memory");
  Configure(db, access.salvage);
}

}  // namespace xsp
