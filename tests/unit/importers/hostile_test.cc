#include <catch2/catch.hpp>
#include <string>

#include "tests/support/mini_nsys.h"

// Small exports that would cost gigabytes or hours if they were believed.
namespace xsp {
namespace {

using Catch::Contains;
using test::CommonTables;
using test::MiniExport;
using test::RefusalOf;

constexpr char kThread[] = "0x0001000010000011";

}  // namespace

TEST_CASE("layouts of payloads that hold each other are given up in time") {
  // Three layouts, each an array of 4096 of the next, one byte apart: 4096^3 numbers.
  std::string data;
  for (int i = 0; i < 4096; ++i) data += "07";
  const MiniExport mini(CommonTables() + R"(
CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, payloadSize INTEGER);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER,
  flags INTEGER, type INTEGER, name TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (0, 16777217, 1), (0, 16777218, 1), (0, 16777219, 1);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (0, 16777217, 0, 16, 16777218, 'a', 4096, 0),
  (0, 16777218, 0, 16, 16777219, 'b', 4096, 0), (0, 16777219, 0, 16, 12, 'c', 4096, 0);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData) VALUES
  (1, 2, 59, 'all', 0x0001000010000011, 0,
   X'0000000000000000010000010000000000100000000000004000000000000000)" +
                        data + "');");
  const Trace trace = mini.Import();
  CHECK(trace.log().issues().at({"NVTX_EVENTS", ImportReason::kUndecodedPayload}).count == 1);
}

TEST_CASE("a default in the schema does not give every row megabytes") {
  std::string sql = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 0x0001000010000011 FROM n;
ALTER TABLE NVTX_EVENTS ADD COLUMN text TEXT DEFAULT ')";
  sql += std::string(200'000, 'x') + "';";
  CHECK_THAT(RefusalOf(MiniExport(sql).file()), Contains("more text than a file of this size"));
}

TEST_CASE("a virtual table is no part of an export however it is written") {
  const MiniExport mini(CommonTables() + R"(
DROP TABLE NVTX_EVENTS;
CREATE TABLE x (y INTEGER);
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET name = 'NVTX_EVENTS', tbl_name = 'NVTX_EVENTS', rootpage = 0,
  sql = 'CREATE /* real */ VIRTUAL TABLE NVTX_EVENTS USING fts5(start, end, eventType, text)'
  WHERE name = 'x';
)");
  CHECK(mini.Import().OfKind(EventKind::kNvtxPushPop).empty());
}

TEST_CASE("a context that no table describes is looked up once") {
  // Each wait names another context; looking each one up in all kernels took minutes.
  const MiniExport mini(CommonTables() + R"(
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId,
  globalPid, shortName) SELECT i, i + 1, i % 4, i, 7, i, 0x0001000010000000, 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, contextId, streamId, correlationId,
  globalPid, syncType) SELECT i, i + 1, 20001 - i, 7, i, 0x0001000010000000, 3 FROM n;
)");
  const Trace trace = mini.Import();
  REQUIRE(trace.OfKind(EventKind::kSync).size() == 20000);
  const TrackId stream = trace.syncs().stream[0];
  REQUIRE(stream.valid());
  CHECK(trace.track(stream).device == trace.track(stream).context % 4);
}

TEST_CASE("times that lie centuries apart are set aside") {
  const MiniExport mini(CommonTables() +
                        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId) "
                        "VALUES (-4611686018427387903, 4611686018427387903, " +
                        kThread + ", 1), (5, 6, " + kThread + ", 1);");
  const Trace trace = mini.Import();
  CHECK(trace.events().begin == std::vector<TimeNs>{5});
  CHECK(trace.log().Total() == ImportLog::Tally{2, 1, 1});
}

}  // namespace xsp
