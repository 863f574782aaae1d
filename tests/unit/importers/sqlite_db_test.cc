#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "importers/sqlite/db.h"
#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

const char kNumbers[] = R"(
CREATE TABLE n (a, b);
INSERT INTO n VALUES (7, 'x'), (NULL, ''), (2.5, x'00ff'), (4, 'four');
)";

struct Opened {
  test::MiniExport mini{kNumbers};
  SqliteAccess access{mini.file()};
  SqliteDb db{access};
};

}  // namespace

TEST_CASE("rows are given with their values and types") {
  const Opened opened;
  std::string seen;
  opened.db.ForEachRow("_rowid_, a, b", "FROM n WHERE _rowid_ >= ?1 AND _rowid_ <= ?2", 1, 3,
                       [&](const SqliteValues& row) {
                         seen += std::to_string(row.Int(0)) + ": " + std::to_string(row.Type(1)) +
                                 " " + std::to_string(row.Int(1)) + " " +
                                 std::to_string(row.Bytes(2).size()) + "\n";
                       });
  CHECK(seen == "1: 1 7 1\n2: 5 0 0\n3: 2 2 2\n");
}

TEST_CASE("what the taker of a row throws reaches the caller, and the rest is not read") {
  const Opened opened;
  int rows = 0;
  const auto stop = [&](const SqliteValues&) {
    if (++rows == 2) throw std::logic_error("enough");
  };
  CHECK_THROWS_AS(opened.db.ForEachRow("a", "FROM n", 0, 0, stop), std::logic_error);
  CHECK(rows == 2);
  // The connection still works, and SQLite's own trouble is not mistaken for that of before.
  CHECK_THROWS_AS(opened.db.ForEachRow("nothing", "FROM n", 0, 0, stop), SqliteError);
  opened.db.ForEachRow("a", "FROM n", 0, 0, stop);
  CHECK(rows == 6);
}

TEST_CASE("while rows are read, other statements of the connection can run") {
  const Opened opened;
  std::string found;
  SqliteStatement other = opened.db.Prepare("SELECT b FROM n WHERE a = ?1");
  opened.db.ForEachRow("a", "FROM n", 0, 0, [&](const SqliteValues& row) {
    other.Reset();
    other.Bind(1, row.Int(0));
    if (other.Step()) found += other.Bytes(0);
  });
  CHECK(found == "xfour");
}

}  // namespace xsp
