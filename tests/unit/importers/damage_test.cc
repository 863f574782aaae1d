#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "base/error.h"
#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

constexpr std::size_t kPage = 4096;
const char kKernelTable[] = "CUPTI_ACTIVITY_KIND_KERNEL";

// An export of a few dozen pages, with some of everything.
std::string SmallExport() {
  return test::CommonTables() + R"(
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER);
CREATE TABLE OSRT_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER, stackDepth INTEGER, PRIMARY KEY (id, stackDepth));
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'GPU', '01', 8000, 900, 48, 'uuid', 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO StringIds SELECT 100 + i, 'kernel number ' || i || '<float>(int)' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10, i * 10 + 5, 0, 0x0001000010000011, i, 1, 0, NULL FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
  SELECT i * 10 + 2, i * 10 + 8, 0, 1, 7, i, 0x0001000010000000, 100 + i, 3 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT i * 10, i * 10 + 9, 59, 'step ' || i, 0x0001000010000011, 0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO OSRT_API SELECT i * 10, i * 10 + 1, 27, 0x0001000010000011, 1, 0, 0, i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO OSRT_CALLCHAINS SELECT i, 100 + i, 1, i, 0 FROM n;
)";
}

// Imports damaged bytes in both ways. Nothing may crash; a refusal has a message that names the
// file; a trace says that it is partial or is whole.
void TryBoth(const test::MiniExport& mini, const std::string& bytes) {
  test::WriteText(mini.file(), bytes);
  for (bool salvage : {false, true}) {
    ImportOptions options;
    options.salvage = salvage;
    options.threads = 2;
    try {
      const Trace trace = mini.Import(options);
      if (!salvage) CHECK_FALSE(trace.info().partial);
      CHECK(trace.info().partial == !trace.info().partial_reason.empty());
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(mini.file().string()) != std::string::npos);
      CHECK(!error.hint().empty());
    }
  }
}

}  // namespace

TEST_CASE("an export cut off at any page is refused or salvaged, never a crash") {
  const test::MiniExport mini(SmallExport());
  const std::string whole = test::ReadText(mini.file());
  REQUIRE(whole.size() > 30 * kPage);
  for (std::size_t size = 0; size < whole.size(); size += kPage) {
    INFO("first " << size << " bytes");
    TryBoth(mini, whole.substr(0, size));
    CHECK(!test::RefusalOf(mini.file()).empty());
  }
}

TEST_CASE("a page of noise anywhere is refused or salvaged, never a crash") {
  const test::MiniExport mini(SmallExport());
  const std::string whole = test::ReadText(mini.file());
  std::mt19937 random(7);
  for (std::size_t page = 0; page < whole.size(); page += kPage) {
    INFO("page at " << page);
    std::string bytes = whole;
    for (std::size_t i = 0; i < kPage; ++i) bytes[page + i] = static_cast<char>(random());
    TryBoth(mini, bytes);
  }
}

TEST_CASE("flipped bits anywhere are survived") {
  const test::MiniExport mini(SmallExport());
  const std::string whole = test::ReadText(mini.file());
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    INFO("round " << round);
    std::string bytes = whole;
    for (int i = 0; i < 100; ++i) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    }
    TryBoth(mini, bytes);
  }
}

namespace {

// Many kernels, so that their table has many pages; the pages that hold rows, by first byte 0x0D.
std::string ManyKernels() {
  return test::CommonTables() + R"(
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
  SELECT i * 10, i * 10 + 5, 0, 1, 7, i, 0x0001000010000000, 2, 3 FROM n;
)";
}

}  // namespace

TEST_CASE("the message about damage names table and row") {
  const test::MiniExport mini(ManyKernels());
  std::string bytes = test::ReadText(mini.file());
  bytes.replace(bytes.size() / kPage / 2 * kPage, kPage, kPage, '\xFF');
  test::WriteText(mini.file(), bytes);
  const std::string refusal = test::RefusalOf(mini.file());
  CHECK_THAT(refusal, Catch::Contains(kKernelTable) && Catch::Contains("row ") &&
                          Catch::Contains("--salvage"));
}

TEST_CASE("salvaging loses only what stood on the damaged pages, and says so") {
  const test::MiniExport mini(ManyKernels());
  std::string bytes = test::ReadText(mini.file());
  const std::size_t pages = bytes.size() / kPage;
  for (std::size_t page : {pages / 4, pages / 2, pages / 2 + 1, pages * 3 / 4}) {
    bytes.replace(page * kPage, kPage, kPage, '\xFF');
  }
  test::WriteText(mini.file(), bytes);
  ImportOptions options;
  options.salvage = true;
  const Trace trace = mini.Import(options);

  CHECK(trace.info().partial);
  CHECK_THAT(trace.info().partial_reason, Catch::Contains(kKernelTable));
  const auto kept = trace.OfKind(EventKind::kKernel).size();
  CHECK(kept > 98500);
  CHECK(kept < 100000);
  const auto tally = trace.log().tallies().at(kKernelTable);
  CHECK(tally.kept == kept);
  CHECK(tally.read == 100000);
  CHECK(trace.log().issues().contains({kKernelTable, ImportReason::kDamaged}));
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    REQUIRE(trace.begin(e) == TimeNs{trace.events().correlation[e.value]} * 10);
  }
}

TEST_CASE("salvaging a truncated export keeps what is left, whatever the number of threads") {
  const test::MiniExport mini(ManyKernels());
  const std::string bytes = test::ReadText(mini.file());
  test::WriteText(mini.file(), bytes.substr(0, bytes.size() / kPage / 2 * kPage));
  CHECK_THAT(test::RefusalOf(mini.file()), Catch::Contains("--salvage"));
  ImportOptions one, two;
  one.salvage = two.salvage = true;
  one.threads = 1;
  two.threads = 2;
  const Trace trace = mini.Import(one);
  CHECK(trace.info().partial);
  CHECK(trace.OfKind(EventKind::kKernel).size() > 30000);
  CHECK(trace == mini.Import(two));
}

TEST_CASE("an export whose list of tables is cut off keeps the tables before the cut") {
  // Definitions long enough that the list takes many pages, some of them behind the rows.
  const auto fillers = [](int first, int last) {
    std::string sql;
    for (int i = first; i < last; ++i) {
      sql += "CREATE TABLE filler_" + std::to_string(i) + " (" + std::string(900, 'x') + ");\n";
    }
    return sql;
  };
  const test::MiniExport mini(fillers(0, 12) + ManyKernels() + fillers(12, 40));
  const std::string bytes = test::ReadText(mini.file());
  test::WriteText(mini.file(), bytes.substr(0, bytes.size() / kPage * 3 / 4 * kPage));
  ImportOptions options;
  options.salvage = true;
  const Trace trace = mini.Import(options);
  CHECK(trace.info().partial);
  CHECK(trace.OfKind(EventKind::kKernel).size() > 30000);
}

namespace {

Trace Salvaged(const test::MiniExport& mini, const std::string& bytes) {
  test::WriteText(mini.file(), bytes);
  ImportOptions options;
  options.salvage = true;
  return mini.Import(options);
}

// An export whose list of tables left page 1 only after its rows were written, as in real ones; as
// nsys writes them, SQLite leaves deleted bytes where they are.
std::string ListBehindRows() {
  std::string sql = R"(PRAGMA secure_delete = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO StringIds SELECT i, 'kernel number ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5, 0, 1, 7, i, 0x0001000010000000, i % 400 + 1, 1 FROM n;
)";
  for (int i = 0; i < 12; ++i) {
    sql += "CREATE TABLE later_" + std::to_string(i) + " (" + std::string(900, 'x') + ");\n";
  }
  return sql;
}

}  // namespace

TEST_CASE("where the list of tables is cut off, what it left on the first page counts") {
  const test::MiniExport mini(ListBehindRows());
  const std::string whole = test::ReadText(mini.file());
  std::size_t before = 0;
  for (std::size_t percent : {20, 40, 60, 80}) {
    INFO(percent << " %");
    const Trace trace =
        Salvaged(mini, whole.substr(0, whole.size() / kPage * percent / 100 * kPage));
    CHECK_THAT(trace.info().partial_reason, Catch::Contains("the list of tables is damaged"));
    CHECK(trace.log().issues().contains({"sqlite_schema", ImportReason::kDamaged}));
    const auto kernels = trace.OfKind(EventKind::kKernel);
    CHECK(kernels.size() > before);
    before = kernels.size();
    for (EventId e : kernels) {
      const auto number = trace.events().correlation[e.value];
      REQUIRE(trace.begin(e) == TimeNs{number} * 10);
      REQUIRE(trace.name(e) == "kernel number " + std::to_string(number % 400 + 1));
    }
  }
}

TEST_CASE("a page lost in the middle of the list of tables costs only the tables it named") {
  std::string sql;
  for (int i = 0; i < 12; ++i) {
    sql += "CREATE TABLE earlier_" + std::to_string(i) + " (" + std::string(900, 'x') + ");\n";
  }
  const test::MiniExport mini(sql + ManyKernels());
  std::string bytes = test::ReadText(mini.file());
  const std::size_t at = bytes.rfind("earlier_5") / kPage * kPage;
  REQUIRE(at > 0);
  const Trace trace = Salvaged(mini, bytes.replace(at, kPage, kPage, '\xFF'));
  CHECK(trace.OfKind(EventKind::kKernel).size() == 100000);
  CHECK(trace.log().issues().at({"sqlite_schema", ImportReason::kDamaged}).count == 1);
}

TEST_CASE("whatever is cut off, no page is taken for one of another table") {
  const test::MiniExport mini(SmallExport());
  const std::string whole = test::ReadText(mini.file());
  for (std::size_t size = 2 * kPage; size < whole.size(); size += kPage) {
    INFO("first " << size << " bytes");
    try {
      const Trace trace = Salvaged(mini, whole.substr(0, size));
      for (EventId e : trace.OfKind(EventKind::kKernel)) {
        REQUIRE(trace.begin(e) == TimeNs{trace.events().correlation[e.value]} * 10 + 2);
      }
      for (EventId e : trace.OfKind(EventKind::kNvtxPushPop)) {
        REQUIRE(trace.end(e) - trace.begin(e) == 9);
      }
    } catch (const Error&) {
    }
  }
}

TEST_CASE("salvaging a sound export gives the same trace, not marked") {
  const test::MiniExport mini(SmallExport());
  ImportOptions options;
  options.salvage = true;
  const Trace trace = mini.Import(options);
  CHECK_FALSE(trace.info().partial);
  CHECK(trace == mini.Import());
}

}  // namespace xsp
