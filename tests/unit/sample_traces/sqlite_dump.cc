#include "tests/unit/sample_traces/sqlite_dump.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <stdexcept>

namespace xsp::samples::test {
namespace {

std::string ValueText(sqlite3_stmt* statement, int column) {
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return "NULL";
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
  const int size = sqlite3_column_bytes(statement, column);
  if (type != SQLITE_BLOB) return std::string(reinterpret_cast<const char*>(bytes), size);
  std::string text = "x'";
  for (int i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text + "'";
}

}  // namespace

std::vector<std::vector<std::string>> Query(const std::filesystem::path& file,
                                            const std::string& sql) {
  sqlite3* database = nullptr;
  const std::string uri = "file:" + file.string() + "?immutable=1";
  std::vector<std::vector<std::string>> rows;
  if (sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) !=
      SQLITE_OK) {
    throw std::runtime_error("cannot open " + file.string());
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(database));
  }
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      row.push_back(ValueText(statement, i));
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return rows;
}

int64_t QueryNumber(const std::filesystem::path& file, const std::string& sql) {
  return std::stoll(Query(file, sql).at(0).at(0));
}

std::vector<std::string> Dump(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  for (const auto& table :
       Query(file, "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid")) {
    lines.push_back(table[1]);
    for (const auto& row : Query(file, "SELECT * FROM " + table[0] + " ORDER BY rowid")) {
      std::string& line = lines.emplace_back(table[0]);
      for (const std::string& value : row) line += "|" + value;
    }
  }
  return lines;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "xsp-samples-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace xsp::samples::test
