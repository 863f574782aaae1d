#include "tests/support/mini_nsys.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "tests/support/real_traces.h"

namespace xsp::test {

namespace fs = std::filesystem;

namespace {

fs::path MakeFolder() {
  std::string pattern = (fs::temp_directory_path() / "xsp-mini-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

std::string WithIncludes(std::string_view sql, const fs::path& folder) {
  constexpr std::string_view kRead = ".read ";
  std::istringstream in{std::string(sql)};
  std::string out, line;
  while (std::getline(in, line)) {
    out += line.starts_with(kRead) ? ReadText(folder / line.substr(kRead.size())) : line;
    out += '\n';
  }
  return out;
}

void RunSql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_open(file.c_str(), &db);
  char* message = nullptr;
  // Written as nsys does: on disk at once, no journal kept.
  const std::string script = "PRAGMA synchronous=OFF; BEGIN;\n" + sql + "\n;COMMIT;";
  const int code = sqlite3_exec(db, script.c_str(), nullptr, nullptr, &message);
  const std::string text = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(db);
  if (code != SQLITE_OK) throw std::runtime_error("SQL: " + text);
}

}  // namespace

MiniExport::MiniExport(std::string_view sql, const fs::path& folder)
    : folder_(MakeFolder()), file_(folder_ / "mini.sqlite") {
  RunSql(file_, WithIncludes(sql, folder));
}

MiniExport::~MiniExport() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string ReadText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteText(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string CommonTables() {
  return ReadText(SourceDir() / "tests/golden/importers/common/tables.sql");
}

std::string RefusalOf(const fs::path& file, const ImportOptions& options) {
  try {
    ImportFile(file, options);
    return {};
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
}

}  // namespace xsp::test
