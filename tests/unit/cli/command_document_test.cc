#include "cli/inputs/command_document.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"

namespace xsp {
namespace {

// A file with this text, for as long as it is looked at.
struct Written {
  explicit Written(const std::string& text)
      : path(std::filesystem::temp_directory_path() /
             ("xsp_command_document_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path) << text;
  }
  ~Written() { std::filesystem::remove(path); }
  const std::filesystem::path path;
};

TEST_CASE("documents of ranks and trend are taken, others are none") {
  CHECK(ReadCommandDocument(
      Written(R"({"schema_version": 2, "command": "ranks", "ranks": []})").path));
  CHECK(!ReadCommandDocument(Written(R"({"schema_version": 2, "command": "idle"})").path));
  CHECK(!ReadCommandDocument(Written(R"({"traceEvents": []})").path));
  CHECK(!ReadCommandDocument("/no/such/file"));
}

TEST_CASE("documents that are not whole are refused") {
  const std::string head = R"({"schema_version": 2, "command": "ranks", "ranks": )";
  CHECK_THROWS_AS(ReadCommandDocument(Written(head).path), Error);
  CHECK_THROWS_AS(ReadCommandDocument(Written(head + std::string(100000, '[')).path), Error);
  CHECK_THROWS_AS(ReadCommandDocument(Written(head + R"(1, "command": 7})").path), Error);
}

TEST_CASE("names of hosts are hidden wherever they stand, whole words only") {
  Json document = Json::parse(
      R"({"ranks": [{"host": "node1"}, {"host": "node10"}, {"host": null}],
          "verdict": "node1 is late, node10 and node100 are not", "node": "node1-eth"})");
  HideHosts(document);
  CHECK(document["ranks"][0]["host"] == "host 1");
  CHECK(document["ranks"][1]["host"] == "host 2");
  CHECK(document["verdict"] == "host 1 is late, host 2 and node100 are not");
  CHECK(document["node"] == "node1-eth");
}

}  // namespace
}  // namespace xsp
