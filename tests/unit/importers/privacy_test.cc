#include <catch2/catch.hpp>
#include <string>

#include "tests/support/dump.h"
#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

constexpr char kSecret[] = "hunter2-token";

// An export with secrets in every place where nsys writes the environment, users, hosts, command
// lines and outputs.
const char kTables[] = R"(
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
CREATE TABLE ANALYSIS_FILE (id INTEGER, filename TEXT, contentId INTEGER, globalPid INTEGER);
INSERT INTO StringIds VALUES (500, 'HOME=/root' || char(0) || 'TOKEN=hunter2-token'), (501, 'stdout hunter2-token');
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.6.1.190'), ('EXPORT_USER', 'hunter2-token'), ('EXPORT_HOST', 'hunter2-token');
INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=hunter2-token'), ('ENVIRONMENT_VARIABLE', 'hunter2-token'), ('PROCESS_0:COMMAND', 'hunter2-token'), ('PROCESS_0:ARGUMENT_0', 'hunter2-token');
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'hunter2-token', 'DeviceEnvironment', 610, 'hunter2-token'), (1, 'x', 'Hostname', 619, 'hunter2-token'), (1, 'x', 'SystemUID', 721, 'hunter2-token'), (1, 'x', 'NvDriverVersion', 205, '580.1');
INSERT INTO ProcessStreams VALUES (0x0001000010000000, 501, 500);
INSERT INTO ANALYSIS_FILE VALUES (1, 'hunter2-token', 500, 0x0001000010000000);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0x0001000010000011, 1, 1, 0, NULL);
)";

}  // namespace

TEST_CASE("nothing of an environment, user, host, command line or output reaches a trace") {
  const test::MiniExport mini(test::CommonTables() + kTables);
  const Trace trace = mini.Import();
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    CHECK(trace.strings()[StringId(i)].find(kSecret) == std::string_view::npos);
  }
  CHECK(test::Dump(trace).find(kSecret) == std::string::npos);
  for (const MissingData& missing : trace.info().missing) {
    CHECK(missing.what.find(kSecret) == std::string::npos);
  }
  CHECK(trace.info().driver_version == "580.1");  // What may be read was read.
}

TEST_CASE("only strings that something in the trace names are in the trace") {
  const test::MiniExport mini(test::CommonTables() + kTables);
  const Trace trace = mini.Import();
  REQUIRE(trace.strings().size() == 1);
  CHECK(trace.strings()[StringId(0)] == "cudaLaunchKernel_v7000");
}

TEST_CASE("an error about a damaged export quotes nothing from it") {
  const test::MiniExport mini(test::CommonTables() + kTables);
  std::string bytes = test::ReadText(mini.file());
  for (std::size_t page = 4096; page < bytes.size(); page += 4096) {
    bytes.replace(page, 8, 8, '\xFF');  // Every page header.
  }
  test::WriteText(mini.file(), bytes);
  const std::string refusal = test::RefusalOf(mini.file());
  CHECK(!refusal.empty());
  CHECK(refusal.find(kSecret) == std::string::npos);
}

}  // namespace xsp
