#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "importers/nsys/catalog.h"
#include "tests/support/mini_nsys.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr int kRows = 3;

struct CloseDb {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

// Runs the statements of a dump one by one. The dumps are unions over many files and hold some
// tables twice: the first counts.
void RunDump(sqlite3* db, const fs::path& dump) {
  sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
  std::istringstream lines(test::ReadText(dump));
  std::string statement, line;
  while (std::getline(lines, line)) {
    statement += line + '\n';
    if (!sqlite3_complete(statement.c_str())) continue;
    char* message = nullptr;
    if (sqlite3_exec(db, statement.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      INFO(statement);
      CHECK_THAT(std::string(message), Catch::Contains("already"));
    }
    sqlite3_free(message);
    statement.clear();
  }
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
}

// A value that makes sense in this column of a generic row.
std::string ValueFor(const std::string& table, const std::string& column, int row) {
  auto text = [](auto number) { return std::to_string(number); };
  if (column == "start" || column == "timestamp" || column == "startTime") return text(100 * row);
  if (column == "end" || column == "stopTime") return text(100 * row + 50);
  if (column == "globalTid" || column == "globalPid" || column == "endGlobalTid") {
    return column == "globalPid" ? "0x0001000010000000" : "0x0001000010000011";
  }
  if (column == "id" && table == "StringIds") return text(row);
  if (column == "correlationId" || column == "id" || column == "stackDepth") return text(row);
  if (column == "number") return text(row);
  if (column == "eventType") return "59";
  if (column == "eventClass") {
    if (table == "OSRT_API") return "27";
    if (table == "CUDNN_EVENTS" || table == "CUBLAS_EVENTS") return "28";
    return table.starts_with("CUDA_GRAPH") ? "77" : "0";
  }
  return "1";
}

void FillTables(sqlite3* db, const NsysCatalog& catalog) {
  sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
  for (const auto& [name, table] : catalog.tables()) {
    for (int row = 1; row <= kRows; ++row) {
      std::string columns, values;
      for (const std::string& column : table.columns) {
        columns += (columns.empty() ? "" : ",") + Quoted(column);
        values += (values.empty() ? "" : ",") + ValueFor(name, column, row);
      }
      const std::string insert =
          "INSERT INTO " + Quoted(name) + " (" + columns + ") VALUES (" + values + ")";
      INFO(insert);
      CHECK(sqlite3_exec(db, insert.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    }
  }
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
}

// Tables that describe and explain: looked up, not imported row by row.
bool Explains(const std::string& table) {
  for (const char* prefix : {"ENUM_", "TARGET_INFO_", "NVTX_PAYLOAD_"}) {
    if (table.starts_with(prefix)) return true;
  }
  const std::vector<std::string> names = {
      "StringIds",        "PROCESSES",        "ThreadNames",
      "META_DATA_EXPORT", "EXPORT_META_DATA", "META_DATA_CAPTURE",
      "ANALYSIS_DETAILS", "DIAGNOSTIC_EVENT", "UnwindMethodType"};
  return std::find(names.begin(), names.end(), table) != names.end();
}

}  // namespace

TEST_CASE("every known schema imports with nothing lost") {
  const fs::path folder = test::SourceDir() / "../shared/reference/nsys_schemas";
  if (!fs::is_directory(folder)) {
    std::cout << "skipped: no schemas in ../shared/reference/nsys_schemas\n";
    return;
  }
  for (const fs::path& dump : test::FilesBelow(folder, ".sql")) {
    INFO(dump.filename().string());
    const test::MiniExport mini("");
    sqlite3* opened = nullptr;
    sqlite3_open(mini.file().c_str(), &opened);
    const std::unique_ptr<sqlite3, CloseDb> db(opened);
    sqlite3_exec(opened, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", nullptr, nullptr,
                 nullptr);
    RunDump(db.get(), dump);
    const NsysCatalog catalog(SqliteDb({mini.file(), true, false}));
    REQUIRE(catalog.Has("StringIds"));
    FillTables(db.get(), catalog);

    const Trace trace = mini.Import();
    const auto& tallies = trace.log().tallies();
    const auto& unused = trace.info().unused_tables;
    for (const auto& [name, table] : catalog.tables()) {
      INFO(name);
      if (auto it = tallies.find(name); it != tallies.end()) {
        CHECK(it->second.read == kRows);
        CHECK(it->second.set_aside == 0);
      } else {
        const bool listed = std::find(unused.begin(), unused.end(), name) != unused.end();
        CHECK((listed || Explains(name)));
      }
    }
    if (catalog.Has("CUPTI_ACTIVITY_KIND_RUNTIME")) {
      CHECK(trace.OfKind(EventKind::kApi).size() == kRows);
    }
  }
}

}  // namespace xsp
