#include <catch2/catch.hpp>

#include "hierarchy/names/device_number.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

TEST_CASE("a trace that names no GPU has no words for them") {
  CHECK(GpuWords(test::MakeTrace("T1 0-5 push a")).empty());
}

}  // namespace
}  // namespace xsp
