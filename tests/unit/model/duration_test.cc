#include "model/duration.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("a duration is shown in the largest unit in which it is at least 1") {
  CHECK(FormatDuration(0) == "0 ns");
  CHECK(FormatDuration(999) == "999 ns");
  CHECK(FormatDuration(1'000) == "1.000 us");
  CHECK(FormatDuration(12'345'678) == "12.35 ms");
  CHECK(FormatDuration(-1'500'000'000) == "-1.500 s");
  CHECK(FormatDuration(3'600'000'000'000) == "3600.0 s");
}

TEST_CASE("durations are read with their unit") {
  CHECK(ParseDuration("1.5ms") == 1'500'000);
  CHECK(ParseDuration("2 s") == 2'000'000'000);
  CHECK(ParseDuration("3\u00b5s") == 3'000);
  CHECK(ParseDuration("-7ns") == -7);
  CHECK(ParseDuration("4", TimeUnit::kUs) == 4'000);
}

TEST_CASE("what is no duration is none") {
  for (const char* text : {"", "s", "1", "1x", "1 ms s", "1e300s", "nan s", "inf s", "ms1"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseDuration(text));
  }
}

}  // namespace
}  // namespace xsp
