#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "importers/sqlite/db.h"
#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

const char kOneCall[] = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
INSERT INTO StringIds VALUES (1, 'call');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0x0001000010000011, 1);
)";

std::set<std::string> NamesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void Execute(sqlite3* db, const char* sql) {
  REQUIRE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

}  // namespace

TEST_CASE("a path may hold any character") {
  const test::MiniExport mini(kOneCall);
  for (const char* name :
       {"a b.sqlite", "q?mode=rwc#x.sqlite", "100%25.sqlite", "grüße&1=2.sqlite"}) {
    const fs::path file = mini.file().parent_path() / name;
    fs::copy_file(mini.file(), file);
    CHECK(ImportFile(file).OfKind(EventKind::kApi).size() == 1);
  }
}

TEST_CASE("importing leaves nothing beside the file and does not touch it") {
  const test::MiniExport mini(kOneCall);
  const auto before = NamesIn(mini.file().parent_path());
  const std::string bytes = test::ReadText(mini.file());
  mini.Import();
  CHECK(NamesIn(mini.file().parent_path()) == before);
  CHECK(test::ReadText(mini.file()) == bytes);
}

TEST_CASE("an export in a folder that cannot be written is read") {
  const test::MiniExport mini(kOneCall);
  fs::permissions(mini.file(), fs::perms::owner_read);
  fs::permissions(mini.file().parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(mini.Import().event_count() == 1);
  fs::permissions(mini.file().parent_path(), fs::perms::owner_all);
}

TEST_CASE("a leftover -wal is read together with the file, and that is said") {
  const test::MiniExport mini(kOneCall);
  sqlite3* db = nullptr;
  sqlite3_open(mini.file().c_str(), &db);
  Execute(db, "PRAGMA journal_mode=WAL");
  Execute(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3, 4, 0x0001000010000011, 1)");
  const fs::path copy = mini.file().parent_path() / "copy.sqlite";
  fs::copy_file(mini.file(), copy);
  fs::copy_file(mini.file().string() + "-wal", copy.string() + "-wal");
  sqlite3_close(db);

  const Trace trace = ImportFile(copy);
  CHECK(trace.event_count() == 2);
  REQUIRE(trace.info().diagnostics.size() == 1);
  CHECK_THAT(trace.info().diagnostics[0].text, Catch::Contains("copy.sqlite-wal"));
}

TEST_CASE("a leftover -journal that cannot be used is ignored, and that is said") {
  const test::MiniExport mini(kOneCall);
  // The head of a rollback journal of this very file: to use it would mean to write.
  std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\x00\x00\x00\x01", 12);
  journal.resize(4096, '\x01');
  test::WriteText(mini.file().string() + "-journal", journal);

  const Trace trace = mini.Import();
  CHECK(trace.event_count() == 1);
  REQUIRE(trace.info().diagnostics.size() == 1);
  CHECK_THAT(trace.info().diagnostics[0].text, Catch::Contains("mini.sqlite-journal"));
  CHECK(trace.info().partial);
  CHECK_THAT(trace.info().partial_reason, Catch::Contains("newest changes may be missing"));
  CHECK(test::ReadText(mini.file().string() + "-journal") == journal);
}

TEST_CASE("a connection cannot write, not even by accident") {
  const test::MiniExport mini(kOneCall);
  const SqliteDb db({mini.file(), true, true});
  CHECK_THROWS_AS(db.Prepare("DELETE FROM StringIds").Step(), SqliteError);
  CHECK_THROWS_AS(db.Prepare("ATTACH ':memory:' AS other").Step(), SqliteError);
}

}  // namespace xsp
