#include "tests/support/real_traces.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "importers/importer.h"
#include "importers/sqlite/db.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> RealExports() {
  std::vector<fs::path> files;
  if (auto folder = test::RealTracesOrSkip()) {
    for (const char* part : {"nsys", "nsys_stats"}) {
      for (fs::path& file : test::FilesBelow(*folder / part, ".sqlite")) files.push_back(file);
    }
  }
  return files;
}

std::int64_t CountRows(const SqliteDb& db, const std::string& table) {
  SqliteStatement count = db.Prepare("SELECT count(*) FROM " + Quoted(table));
  count.Step();
  return count.Int(0);
}

}  // namespace

TEST_CASE("every row of every table that is read is kept or set aside, on real exports") {
  for (const fs::path& file : RealExports()) {
    INFO(file.filename().string());
    const Trace trace = ImportFile(file);
    const SqliteDb db({file, true, false});
    for (const auto& [table, tally] : trace.log().tallies()) {
      INFO(table);
      CHECK(tally.read == tally.kept + tally.set_aside);
      CHECK(static_cast<std::int64_t>(tally.read) == CountRows(db, table));
    }
  }
}

TEST_CASE("the same export gives the same trace, whatever the number of threads") {
  for (const fs::path& file : RealExports()) {
    INFO(file.filename().string());
    ImportOptions one, two;
    one.threads = 1;
    two.threads = 2;
    const Trace first = ImportFile(file, one);
    CHECK(first == ImportFile(file, two));
    CHECK(first == ImportFile(file, two));
  }
}

}  // namespace xsp
