#include "report/summary/devices.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

namespace xsp {
namespace {

TEST_CASE("busy time is a union, each device by itself") {
  const Trace trace = test::MakeTrace(R"(
S7        0-100   kernel a
S8       50-150   kernel b
S7      200-300   memcpy HtoD bytes=8
D1.S7     0-10    kernel a
)");
  const auto devices = UsedDevices(trace);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].busy_ns == 250);
  CHECK(devices[0].span.Length() == 300);
  CHECK(devices[0].kernels == 2);
  CHECK(devices[0].copies == 1);
  CHECK(devices[1].number == 1);
  CHECK(devices[1].busy_ns == 10);
}

TEST_CASE("a trace without device work uses no device") {
  CHECK(UsedDevices(test::MakeTrace("T1 0-5 push a")).empty());
  CHECK(GpuWords(test::MakeTrace("T1 0-5 push a")).empty());
}

}  // namespace
}  // namespace xsp
