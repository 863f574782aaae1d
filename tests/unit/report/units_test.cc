#include "report/tables/units.h"

#include <catch2/catch.hpp>
#include <limits>

namespace xsp {
namespace {

TEST_CASE("nanoseconds in a column have no decimals") {
  CHECK(FormatIn(1'234'567, TimeUnit::kNs, 3) == "1,234,567");
  CHECK(FormatIn(1'234'567, TimeUnit::kMs, 3) == "1.235");
}

TEST_CASE("bytes are counted in powers of 1024, bandwidth in powers of 1000") {
  CHECK(FormatBytes(0) == "0 B");
  CHECK(FormatBytes(1023) == "1023 B");
  CHECK(FormatBytes(1536) == "1.50 KiB");
  CHECK(FormatBytes(8ull << 30) == "8.00 GiB");
  CHECK(FormatBandwidth(608'064'000'000) == "608.1 GB/s");
}

TEST_CASE("counts have their thousands separated") {
  CHECK(FormatCount(0) == "0");
  CHECK(FormatCount(999) == "999");
  CHECK(FormatCount(-1'234'567) == "-1,234,567");
  CHECK(FormatCount(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("what is no number is shown as unknown") {
  CHECK(FormatNumber(std::numeric_limits<double>::quiet_NaN(), 1) == "-");
  CHECK(FormatNumber(std::numeric_limits<double>::infinity(), 1) == "-");
  CHECK(FormatNumber(-0.04, 1) == "0.0");
  CHECK(FormatNumber(-0.06, 1) == "-0.1");
}

TEST_CASE("dates are right across leap years and before 1970") {
  CHECK(FormatUtc(0) == "1970-01-01 00:00:00 UTC");
  CHECK(FormatUtc(1'709'164'799'999'999'999) == "2024-02-28 23:59:59 UTC");
  CHECK(FormatUtc(1'709'164'800'000'000'000) == "2024-02-29 00:00:00 UTC");
  CHECK(FormatUtc(-1) == "1969-12-31 23:59:59 UTC");
  CHECK(FormatUtc(951'868'800'000'000'000) == "2000-03-01 00:00:00 UTC");
}

}  // namespace
}  // namespace xsp
