#include "report/screens/info_report.h"

#include <catch2/catch.hpp>

#include "hierarchy/info_facts.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

std::uint64_t CountOf(const InfoFacts& facts, const std::string& kind) {
  for (const auto& [name, count] : facts.counts) {
    if (name == kind) return count;
  }
  FAIL("no count of " + kind);
  return 0;
}

TEST_CASE("counts sum up both sorts of ranges and tell migrations from copies") {
  const InfoFacts facts = FindInfoFacts(test::MakeTrace(R"(
T1  0-9   push a
T1  0-9   startend b
T1  3     mark c
T1  1-2   api cudaGraphLaunch_v10000 #1
T1  2-3   api cudaLaunchKernel #2
S7  5-6   memcpy HtoD bytes=1
M   5-6   migration HtoD bytes=4096
)"));
  CHECK(CountOf(facts, "nvtx") == 2);
  CHECK(CountOf(facts, "nvtx_mark") == 1);
  CHECK(CountOf(facts, "graph_launch") == 1);
  CHECK(CountOf(facts, "api") == 2);
  CHECK(CountOf(facts, "memcpy") == 1);
  CHECK(CountOf(facts, "migration") == 1);
}

TEST_CASE("the profiler's share of the span cannot pass 1") {
  const InfoFacts facts = FindInfoFacts(test::MakeTrace(R"(
T1   0-100  api cudaFree #1
T1  50-150  overhead flush
T2  50-120  overhead flush
)"));
  CHECK(facts.overhead_ns == 100);
  REQUIRE(facts.overhead_share);
  CHECK(*facts.overhead_share == Approx(0.5));
}

Json InfoJson(const Report& report) {
  return Json::parse(WriteReport(report, OutputFormat::kJson, {}));
}

TEST_CASE("steps are null where nobody looked for them") {
  const Trace trace = test::MakeTrace("T1 0-5 push a");
  const TraceSource source{"x.sqlite", "nsys-sqlite", std::nullopt, false, ""};
  CHECK(InfoJson(MakeInfoReport(trace, source, {}, std::nullopt))["steps"].is_null());
  const StepsInfo steps{5, "range", 1};
  const Json found = InfoJson(MakeInfoReport(trace, source, {}, steps))["steps"];
  CHECK(found["count"] == 5);
  CHECK(found["cold"] == 1);
}

TEST_CASE("an empty trace has a report") {
  const Trace trace = test::MakeTrace("");
  const TraceSource source{"x.sqlite", "nsys-sqlite", std::nullopt, false, ""};
  const Report report = MakeInfoReport(trace, source, {}, std::nullopt);
  const Json json = InfoJson(report);
  CHECK(json["span_ns"].is_null());
  CHECK(json["counts"]["kernel"] == 0);
  CHECK_FALSE(WriteReport(report, OutputFormat::kTable, {}).empty());
}

}  // namespace
}  // namespace xsp
