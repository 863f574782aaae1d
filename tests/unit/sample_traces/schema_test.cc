// The tables against those of real exports of the same schema.
#include <catch2/catch.hpp>
#include <set>

#include "sample_traces/scenarios.h"
#include "tests/support/real_traces.h"
#include "tests/unit/sample_traces/sqlite_dump.h"

namespace xsp::samples::test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows Columns(const std::filesystem::path& file, const std::string& table) {
  return Query(file, "SELECT name, type, \"notnull\", pk FROM pragma_table_info('" + table + "')");
}

std::set<std::string> TableNames(const std::filesystem::path& file) {
  std::set<std::string> names;
  for (const auto& row : Query(file, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    names.insert(row[0]);
  }
  return names;
}

std::string SchemaOf(const std::filesystem::path& file) {
  const std::set<std::string> tables = TableNames(file);
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (tables.count(table) == 0) continue;
    const Rows rows = Query(
        file, std::string("SELECT value FROM ") + table + " WHERE name = 'EXPORT_SCHEMA_VERSION'");
    if (!rows.empty()) return rows[0][0];
  }
  return "";
}

// The columns that a user added to a real export come last: compare what is ours.
void CompareTables(const std::filesystem::path& ours, const std::filesystem::path& real,
                   std::set<std::string>& compared) {
  const std::set<std::string> theirs = TableNames(real);
  for (const std::string& table : TableNames(ours)) {
    if (theirs.count(table) == 0) continue;
    INFO(real.filename().string() << ", table " << table);
    const Rows columns = Columns(ours, table);
    Rows expected = Columns(real, table);
    if (expected.size() > columns.size()) expected.resize(columns.size());
    CHECK(columns == expected);
    compared.insert(table);
  }
}

}  // namespace

TEST_CASE("a schema has the tables of its time", "[samples]") {
  const SchemaVersion& old = FindSchema("old");
  const SchemaVersion& newest = FindSchema("newest");
  CHECK(TableColumns("META_DATA_EXPORT", old).empty());
  CHECK(TableColumns("EXPORT_META_DATA", newest).empty());
  CHECK(TableColumns("CUPTI_ACTIVITY_KIND_KERNEL", old).size() == 27);
  CHECK(TableColumns("CUPTI_ACTIVITY_KIND_KERNEL", newest).size() == 40);
  CHECK(EnumTables(old).empty());
  CHECK_FALSE(EnumTables(newest).empty());
  CHECK_THROWS_WITH(FindSchema("4.0"), Catch::Contains("3.25.0 (newest)"));
}

TEST_CASE("tables have the columns that real exports of the same schema have", "[samples]") {
  const auto folder = xsp::test::RealTracesOrSkip();
  if (!folder) return;
  TemporaryFolder temporary;
  std::set<std::string> versions;
  std::set<std::string> compared;
  for (const auto& real : xsp::test::FilesBelow(*folder, ".sqlite")) {
    if (real.parent_path().filename() == "bad") continue;
    const std::string schema = SchemaOf(real);
    for (const SchemaVersion& version : SchemaVersions()) {
      if (version.text != schema) continue;
      versions.insert(schema);
      for (const char* name : {"multi", "streams", "graphs", "alloc"}) {
        Scenario scenario = MakeScenario(name, {});
        scenario.options.schema = &version;
        const auto ours = temporary / (std::string(name) + ".sqlite");
        WriteTrace(ours.string(), scenario.program, scenario.machine, scenario.options);
        CompareTables(ours, real, compared);
      }
    }
  }
  CHECK(versions.size() == SchemaVersions().size());
  CHECK(compared.size() > 30);
}

}  // namespace xsp::samples::test
