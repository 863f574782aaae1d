#include "importers/sqlite/db.h"

#include <system_error>
#include <utility>

namespace xsp {
namespace {

// Far above the longest string of any real export (83 kB), far below what hurts.
constexpr int kMaxValueBytes = 64 << 20;

constexpr int kStepsPerCheck = 1 << 16;

// The function of SQL that takes rows, see ForEachRow.
constexpr char kRowFunction[] = "xsp_take_row";

// A row of an export takes about one step of SQLite's machine and one byte of text per byte, and is
// read once, a few small tables twice.
SqliteBudget BudgetFor(std::uint64_t file_bytes) {
  constexpr std::uint64_t kFreeBytes = 64 << 20, kFreeChecks = 1 << 12;
  return {kFreeBytes + 8 * file_bytes, kFreeChecks + 64 * file_bytes / kStepsPerCheck};
}

int CheckBudget(void* budget) {
  std::uint64_t& checks = static_cast<SqliteBudget*>(budget)->checks;
  if (checks == 0) return 1;
  --checks;
  return 0;
}

// What SQLite gave as text or blob; an empty value has no bytes.
std::string_view Charged(const void* bytes, int size, SqliteBudget& budget) {
  if (bytes == nullptr || size <= 0) return {};
  const auto length = static_cast<std::size_t>(size);
  if (length > budget.text_bytes) {
    throw SqliteError(SQLITE_CORRUPT, "gives more text than a file of this size can hold");
  }
  budget.text_bytes -= length;
  return {static_cast<const char*>(bytes), length};
}

void GiveNothing(sqlite3_context* context) { sqlite3_result_null(context); }

[[noreturn]] void Fail(sqlite3* db, int code) {
  // Nobody else interrupts.
  if (code == SQLITE_INTERRUPT) throw SqliteError(code, "takes more work than its size explains");
  throw SqliteError(code, sqlite3_errmsg(db));
}

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
  // A virtual table runs code of its own on what the file says; no export has one.
  sqlite3_drop_modules(db, nullptr);
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

SqliteStatement::SqliteStatement(sqlite3* db, const std::string& sql, SqliteBudget* budget)
    : budget_(budget) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size() + 1), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) Fail(db, code);
}

void SqliteStatement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
}

void SqliteStatement::Bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

bool SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Fail(sqlite3_db_handle(statement_.get()), code);
}

std::string_view SqliteStatement::Bytes(int column) const {
  // The pointer must be asked for before the size.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  return Charged(bytes, sqlite3_column_bytes(statement_.get(), column), *budget_);
}

std::string_view SqliteValues::Bytes(int i) const {
  const void* bytes = sqlite3_value_blob(values_[i]);
  return Charged(bytes, sqlite3_value_bytes(values_[i]), *budget_);
}

// SQLite is C: what is thrown must not pass through it.
void SqliteDb::TakeRow(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  auto& receiver = *static_cast<Receiver*>(sqlite3_user_data(context));
  try {
    (*receiver.take)(SqliteValues(values, *receiver.budget));
  } catch (...) {
    receiver.thrown = std::current_exception();
    sqlite3_result_error(context, "stopped", -1);
  }
}

// One aggregate over all rows: a step of a statement and its columns cost more than the rows do.
void SqliteDb::ForEachRow(const std::string& values, const std::string& from, std::int64_t first,
                          std::int64_t last, const SqliteRowTaker& take) const {
  SqliteStatement select =
      Prepare("SELECT " + std::string(kRowFunction) + "(" + values + ") " + from);
  select.Bind(1, first);
  select.Bind(2, last);
  *receiver_ = {budget_.get(), &take, nullptr};
  try {
    select.Step();
  } catch (const SqliteError&) {
    if (receiver_->thrown) std::rethrow_exception(std::exchange(receiver_->thrown, nullptr));
    throw;
  }
}

void SqliteDb::Open(const SqliteAccess& access) {
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const std::string name = access.image ? ":memory:" : SqliteUri(access);
  int code = sqlite3_open_v2(name.c_str(), &db, flags, nullptr);
  db_.reset(db);
  if (code == SQLITE_OK && access.image) {
    const auto size = static_cast<sqlite3_int64>(access.image->size);
    code = sqlite3_deserialize(db, "main", access.image->bytes.get(), size, size,
                               SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK) throw SqliteError(code, db ? sqlite3_errmsg(db) : "out of memory");
}

SqliteDb::SqliteDb(const SqliteAccess& access) {
  Open(access);
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(access.file, ignored);
  const std::uint64_t file_bytes = ignored ? 0 : bytes;
  // A cell takes two bytes for its place and at least two for itself.
  most_rows_ = file_bytes / 4;
  budget_ = std::make_unique<SqliteBudget>(BudgetFor(file_bytes));
  receiver_ = std::make_unique<Receiver>();
  sqlite3_progress_handler(db_.get(), kStepsPerCheck, CheckBudget, budget_.get());
  sqlite3_create_function_v2(db_.get(), kRowFunction, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                             receiver_.get(), nullptr, TakeRow, GiveNothing, nullptr);
  Configure(db_.get(), access.salvage);
  // The first statement fails where the list of tables has a flaw; those after it see what is left.
  if (access.image)
    sqlite3_exec(db_.get(), "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
}

}  // namespace xsp
