#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

// The option that would record what is missing; "" if nothing is said of it.
std::string FlagFor(const Trace& trace, std::string_view what) {
  for (const MissingData& missing : trace.info().missing) {
    if (missing.what == what) return missing.flag;
  }
  return {};
}

}  // namespace

TEST_CASE("what a capture lacks is told with the option that records it") {
  const test::MiniExport mini("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  const Trace trace = mini.Import();
  CHECK(FlagFor(trace, "CUDA calls and GPU work") == "--trace=cuda");
  CHECK(FlagFor(trace, "NVTX ranges") == "--trace=cuda,nvtx");
  CHECK(FlagFor(trace, "operating-system calls") == "--trace=cuda,nvtx,osrt");
  CHECK(FlagFor(trace, "CPU samples") == "--sample=process-tree");
  CHECK(FlagFor(trace, "thread scheduling") == "--cpuctxsw=process-tree");
  CHECK(FlagFor(trace, "GPU memory use") == "--cuda-memory-usage=true");
  CHECK_THAT(FlagFor(trace, "GPU hardware counters"),
             Catch::StartsWith("--gpu-metrics-devices=all"));
  CHECK(FlagFor(trace, "kernels inside CUDA graphs").empty());
}

TEST_CASE("what is there is not said to be missing, and an empty table is no data") {
  const test::MiniExport mini(test::CommonTables() + R"(
    CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end) VALUES (1, 2);
    INSERT INTO NVTX_EVENTS (start, end, eventType) VALUES (1, 2, 59);)");
  const Trace trace = mini.Import();
  CHECK(FlagFor(trace, "CUDA calls and GPU work").empty());
  CHECK(FlagFor(trace, "NVTX ranges").empty());
  CHECK(FlagFor(trace, "thread scheduling") == "--cpuctxsw=process-tree");
}

TEST_CASE("graphs traced as one piece hide their kernels, and the option is named") {
  const test::MiniExport mini(test::CommonTables() + R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end) VALUES (1, 2);)");
  CHECK(FlagFor(mini.Import(), "kernels inside CUDA graphs") == "--cuda-graph-trace=node");
}

TEST_CASE("the trace says which file it came from") {
  const test::MiniExport mini("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  const Trace trace = mini.Import();
  CHECK(trace.info().format == "nsys-sqlite");
  CHECK(trace.info().source_name == "mini.sqlite");
  CHECK(trace.info().source_bytes == std::filesystem::file_size(mini.file()));
  CHECK_FALSE(trace.info().partial);
}

}  // namespace xsp
