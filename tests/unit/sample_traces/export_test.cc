// What stands in the files.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "sample_traces/command_line.h"
#include "tests/unit/sample_traces/sqlite_dump.h"

namespace xsp::samples::test {
namespace {

// Runs xsp-sample's job with these arguments.
void Write(const std::filesystem::path& file, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"-o", file.string()});
  const Scenario scenario = MakeScenario(ParseCommandLine(arguments));
  WriteTrace(file.string(), scenario.program, scenario.machine, scenario.options);
}

std::string Bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the same arguments give the same bytes, another seed gives others", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"train", "--seed", "7"});
  Write(folder / "b", {"train", "--seed", "7"});
  Write(folder / "c", {"train", "--seed", "8"});
  CHECK(Bytes(folder / "a") == Bytes(folder / "b"));
  CHECK(Bytes(folder / "a") != Bytes(folder / "c"));
}

TEST_CASE("the file appears when it is complete and nothing is left beside it", "[samples]") {
  TemporaryFolder folder;
  const Scenario scenario = MakeScenario("hpc", {});
  {
    NsysWriter abandoned((folder / "a").string(), scenario.program, scenario.options);
    CHECK_FALSE(std::filesystem::exists(folder / "a"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  Write(folder / "a", {"hpc"});
  Write(folder / "a", {"hpc"});
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that cannot be written is an error", "[samples]") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH(Write(folder / "none/a", {"hpc"}), Catch::Contains("cannot write"));
}

TEST_CASE("every reference to a string has its string", "[samples]") {
  TemporaryFolder folder;
  const std::string schema = GENERATE("old", "3.7.2", "middle", "newest");
  Write(folder / "a", {"train", "--schema", schema});
  const std::pair<const char*, const char*> references[] = {
      {"CUPTI_ACTIVITY_KIND_RUNTIME", "nameId"},
      {"CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"},
      {"CUPTI_ACTIVITY_KIND_KERNEL", "shortName"},
      {"OSRT_API", "nameId"},
      {"ThreadNames", "nameId"},
      {"NVTX_EVENTS", "textId"}};
  for (const auto& [table, column] : references) {
    INFO(table << "." << column);
    CHECK(QueryNumber(folder / "a", std::string("SELECT count(*) FROM ") + table + " WHERE " +
                                        column + " NOT IN (SELECT id FROM StringIds)") == 0);
  }
}

TEST_CASE("ranges mix registered and plain text", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"train"});
  CHECK(QueryNumber(folder / "a", "SELECT count(*) FROM NVTX_EVENTS WHERE text IS NOT NULL") > 0);
  CHECK(QueryNumber(folder / "a", "SELECT count(*) FROM NVTX_EVENTS WHERE textId IS NOT NULL") > 0);
  CHECK(QueryNumber(folder / "a",
                    "SELECT count(*) FROM NVTX_EVENTS WHERE (text IS NULL) = (textId IS NULL)") ==
        0);
}

TEST_CASE("processes use the same correlation ids for different calls", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"multi"});
  CHECK(QueryNumber(folder / "a",
                    "SELECT count(*) FROM (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
                    "GROUP BY correlationId HAVING count(DISTINCT globalTid >> 24) > 1)") > 50);
  CHECK(QueryNumber(folder / "a",
                    "SELECT count(*) FROM (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY "
                    "correlationId, globalTid >> 24 HAVING count(*) > 1)") == 0);
}

TEST_CASE("collectives carry their domain and a payload with its schema", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"multi"});
  CHECK(QueryNumber(folder / "a",
                    "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 75 AND "
                    "text = 'NCCL'") == 2);
  CHECK(QueryNumber(folder / "a",
                    "SELECT count(*) FROM NVTX_EVENTS WHERE domainId = 1 AND "
                    "eventType = 59 AND length(binaryData) = 48") > 0);
  CHECK(QueryNumber(folder / "a", "SELECT count(*) FROM NVTX_PAYLOAD_SCHEMA_ENTRIES") == 4);
}

TEST_CASE("the environment stands in the export, but no event names it", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"train"});
  const int64_t id = QueryNumber(folder / "a",
                                 "SELECT id FROM StringIds WHERE instr(CAST(value AS BLOB), "
                                 "CAST('SAMPLE_TOKEN' AS BLOB)) > 0");
  const std::string names = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = ";
  CHECK(QueryNumber(folder / "a", names + std::to_string(id)) == 0);
}

TEST_CASE("memory use is recorded where the capture asked for it", "[samples]") {
  TemporaryFolder folder;
  Write(folder / "a", {"alloc"});
  CHECK(QueryNumber(folder / "a", "SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS") == 60);
}

TEST_CASE("bad arguments are named", "[samples]") {
  using Words = std::vector<std::string>;
  const auto [arguments, message] = GENERATE(table<Words, std::string>({
      {Words{}, "no scenario"},
      {Words{"train"}, "-o FILE"},
      {Words{"train", "-o", "a", "--steps", "0"}, "--steps needs a number from 1"},
      {Words{"train", "-o", "a", "--steps", "8x"}, "'8x'"},
      {Words{"train", "-o", "a", "--precision", "fp8"}, "fp32, tf32, amp"},
      {Words{"train", "-o", "a", "--frobnicate", "1"}, "unknown option"},
      {Words{"train", "-o"}, "-o needs a value"},
      {Words{"train", "infer", "-o", "a"}, "more than one scenario"},
      {Words{"train", "-o", "a", "--schema", "9"}, "unknown schema"},
      {Words{"train", "-o", "a", "--change", "x"}, "unknown change"},
  }));
  CHECK_THROWS_WITH(MakeScenario(ParseCommandLine(arguments)), Catch::Contains(message));
}

}  // namespace xsp::samples::test
