#include "model/spans.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

using namespace xsp;
using test::MakeTrace;

TEST_CASE("a union of ranges counts shared time once", "[model]") {
  CHECK(UnionLength({}) == 0);
  CHECK(UnionLength({{0, 10}, {5, 15}, {20, 30}}) == 25);
  CHECK(UnionLength({{20, 30}, {0, 100}, {40, 50}}) == 100);
  CHECK(UnionLength({{5, 5}, {-10, -5}}) == 5);
}

TEST_CASE("ranges that overlap or touch are one", "[model]") {
  using Ranges = std::vector<TimeRange>;
  CHECK(Merged({}) == Ranges{});
  CHECK(Merged({{20, 30}, {0, 10}, {5, 15}, {30, 40}}) == Ranges{{0, 15}, {20, 40}});
  CHECK(Merged({{0, 100}, {10, 20}}) == Ranges{{0, 100}});
}

TEST_CASE("the GPU span runs from the first to the last device operation", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1 0-1000  push all
    S7 20-30   kernel a
    S8 10-15   memcpy HtoD
    S7 31-40   memset
  )");
  CHECK(*GpuSpan(trace) == TimeRange{10, 40});
  CHECK(*ProgramSpan(trace) == TimeRange{0, 1000});
}

TEST_CASE("a trace without events has no span", "[model]") {
  const Trace trace = MakeTrace("");
  CHECK_FALSE(GpuSpan(trace));
  CHECK_FALSE(ProgramSpan(trace));
}

TEST_CASE("what the profiler did before the capture does not stretch the span", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1 -5000   node 1
    T1 0-10    api cudaMalloc
    T1 20-900  overhead flush
  )");
  CHECK(*ProgramSpan(trace) == TimeRange{0, 10});
}
