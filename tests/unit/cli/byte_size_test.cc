#include "cli/options/byte_size.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("sizes have decimal and binary units and nothing else") {
  CHECK(ParseBytes("1000000") == 1'000'000);
  CHECK(ParseBytes("2GB") == 2'000'000'000);
  CHECK(ParseBytes("1.5 MB") == 1'500'000);
  CHECK(ParseBytes("500K") == 500'000);
  CHECK(ParseBytes("64MiB") == 67'108'864);
  CHECK(ParseBytes("0") == 0);
  for (const char* wrong : {"", "GB", "-1", "2 GBs", "1e30", "nan", "inf", "2gb", "1 2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ParseBytes(wrong));
  }
}

}  // namespace
}  // namespace xsp
