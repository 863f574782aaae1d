#include "stats/report.h"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.h"
#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportRows;

TEST_CASE("a report whose data is not in the trace says what to record") {
  const Trace trace = MakeTrace("T1 0-1 api cudaMalloc\n");
  CHECK(ReportRows(trace, "osrt_sum") ==
        "\nno OS runtime calls in this trace; record with --trace=osrt\n");
  CHECK(ReportRows(trace, "nvtx_gpu_proj_sum") ==
        "\nno NVTX ranges in this trace; record with --trace=nvtx\n");
  CHECK(ReportRows(trace, "memory") ==
        "\nno memory allocations in this trace; record with --cuda-memory-usage=true\n");
}

TEST_CASE("kernels inside graphs that were traced as a whole are said to be missing") {
  CHECK(ReportRows(MakeTrace("S7 0-9 graph\n"), "cuda_gpu_kern_sum") ==
        "\nno kernels in this trace: CUDA graphs were traced as a whole; record with "
        "--cuda-graph-trace=node\n");
}

TEST_CASE("every report runs on a trace with nothing in it, whole and split") {
  const Trace trace = MakeTrace("");
  for (const StatsReport& report : AllStatsReports()) {
    CAPTURE(report.name);
    for (GroupBy by : {GroupBy::kNothing, GroupBy::kDevice, GroupBy::kThread}) {
      TraceIndexes indexes(trace);
      const auto tables =
          RunReport(ParseReportRequest(report.name), EventSelection(trace), by, indexes);
      REQUIRE(tables.size() == report.tables.size());
      for (const StatsTable& table : tables) CHECK(table.rows() == 0);
      CHECK(!tables.front().note().empty());
    }
  }
}

TEST_CASE("reports have names of their own, the first table's name is the report's") {
  const Trace trace = MakeTrace("");
  std::set<std::string> names;
  for (const StatsReport& report : AllStatsReports()) {
    TraceIndexes indexes(trace);
    const auto tables = RunReport(ParseReportRequest(report.name), EventSelection(trace),
                                  GroupBy::kNothing, indexes);
    CHECK(tables.front().name() == report.name);
    for (const StatsTable& table : tables) CHECK(names.insert(table.name()).second);
  }
}

TEST_CASE("options that a report does not take are refused by name") {
  CHECK(ParseReportRequest("cuda_gpu_sum:nvtx-name:base").options.nvtx_name);
  CHECK(ParseReportRequest("um_sum:rows=3").options.rows == 3);
  CHECK_THROWS_WITH(ParseReportRequest("osrt_sum:base"), "report osrt_sum takes no ':base'");
  CHECK_THROWS_WITH(ParseReportRequest("um_sum:rows=x"), "report um_sum takes no ':rows=x'");
  CHECK_THROWS_WITH(ParseReportRequest("cuda_gpu_sum:"), "report cuda_gpu_sum takes no ':'");
  CHECK_THROWS_AS(ParseReportRequest("cuda_sum"), Error);
}
