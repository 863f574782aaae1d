#include "sample_traces/sqlite_table.h"

#include <sqlite3.h>

#include <stdexcept>

namespace xsp::samples {
namespace {

void Check(int result, sqlite3* handle, const char* what) {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
  throw std::runtime_error(std::string(what) + ": " + sqlite3_errmsg(handle));
}

}  // namespace

OutputFile::OutputFile(const std::string& path) {
  const int result =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (result != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw std::runtime_error("cannot write " + path + ": " + reason);
  }
  Execute("PRAGMA page_size=4096");
  Execute("PRAGMA journal_mode=OFF");
  Execute("PRAGMA synchronous=OFF");
  Execute("PRAGMA cache_size=-32768");
  Execute("BEGIN");
}

OutputFile::~OutputFile() { sqlite3_close_v2(handle_); }

void OutputFile::Execute(const std::string& sql) {
  Check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), handle_, "writing");
}

void OutputFile::Commit() { Execute("COMMIT"); }

void OutputFile::Close() {
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
}

Table::Table(OutputFile& file, const SchemaVersion& schema, std::string name,
             std::initializer_list<std::string_view> columns)
    : file_(file), name_(std::move(name)), declared_(TableColumns(name_, schema)) {
  for (std::string_view column : columns) places_.push_back(Place(column));
}

Table::~Table() { sqlite3_finalize(insert_); }

int Table::Place(std::string_view column) const {
  for (size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].name == column) return static_cast<int>(i) + 1;
  }
  return 0;
}

Table& Table::Constant(std::string_view column, int64_t value) {
  constants_.push_back({Place(column), value, std::nullopt});
  return *this;
}

Table& Table::Constant(std::string_view column, std::string_view value) {
  constants_.push_back({Place(column), 0, std::string(value)});
  return *this;
}

void Table::Create() {
  std::string create = "CREATE TABLE " + name_ + " (";
  std::string insert = "INSERT INTO " + name_ + " VALUES (";
  for (size_t i = 0; i < declared_.size(); ++i) {
    const char* comma = i + 1 < declared_.size() ? "," : "";
    create += "\n    " + declared_[i].name + " " + declared_[i].declaration + comma;
    insert += std::string("?") + comma;
  }
  file_.Execute(create + "\n)");
  insert += ")";
  Check(sqlite3_prepare_v2(file_.handle(), insert.c_str(), -1, &insert_, nullptr), file_.handle(),
        name_.c_str());
  for (const ConstantValue& constant : constants_) {
    constant.text ? Bind(constant.place, *constant.text) : Bind(constant.place, constant.number);
  }
}

void Table::Step() {
  Check(sqlite3_step(insert_), file_.handle(), name_.c_str());
  sqlite3_reset(insert_);  // keeps the bindings: constants stay
}

void Table::Bind(int place, int64_t value) {
  if (place > 0) sqlite3_bind_int64(insert_, place, value);
}

void Table::Bind(int place, std::nullopt_t) {
  if (place > 0) sqlite3_bind_null(insert_, place);
}

void Table::Bind(int place, std::string_view value) {
  if (place == 0) return;
  sqlite3_bind_text(insert_, place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}

void Table::Bind(int place, const Blob& value) {
  if (place == 0) return;
  sqlite3_bind_blob(insert_, place, value.bytes.data(), static_cast<int>(value.bytes.size()),
                    SQLITE_TRANSIENT);
}

}  // namespace xsp::samples
