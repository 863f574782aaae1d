#include "sim/plan/whatif_options.h"

#include <catch2/catch.hpp>

#include "base/error.h"

namespace xsp {
namespace {

constexpr WhatIfOption kOptions[] = {
    {"gpus", "2", "how many"}, {"network", "100Gbit", "how fast"}, {"bucket", "25MB", "how large"}};

WhatIfValues Given(std::string_view text) { return WhatIfValues("ddp", kOptions, text); }

TEST_CASE("options have their defaults") {
  const WhatIfValues values = Given("");
  CHECK(values.Count("gpus") == 2);
  CHECK(values.Bandwidth("network") == Approx(12.5e9));
  CHECK(values.Bytes("bucket") == 25e6);
  CHECK_FALSE(values.IsGiven("gpus"));
  CHECK(values.GivenText().empty());
}

TEST_CASE("the first option needs no name, others do") {
  const WhatIfValues values = Given("8,bucket=1MiB");
  CHECK(values.Count("gpus") == 8);
  CHECK(values.Bytes("bucket") == 1048576);
  CHECK(values.IsGiven("gpus"));
  CHECK(values.GivenText() == "bucket=1MiB,gpus=8");
  CHECK(Given("8").GivenText() == "8");
}

TEST_CASE("an option that there is not is refused by name") {
  CHECK_THROWS_WITH(Given("gpu=8"), Catch::Contains("there is no option 'gpu'"));
  CHECK_THROWS_AS(WhatIfValues("none", {}, "7"), Error);
  WhatIfValues values = Given("");
  CHECK_THROWS_WITH(values.Set("speed", "1"), Catch::Contains("no option 'speed'"));
  values.Set("gpus", "4");
  CHECK(values.Count("gpus") == 4);
}

TEST_CASE("values that cannot be read are refused with what was expected") {
  CHECK_THROWS_WITH(Given("many").Count("gpus"),
                    Catch::Contains("gpus=many is not a whole number"));
  CHECK_THROWS_AS(Given("0").Count("gpus"), Error);
  CHECK_THROWS_AS(Given("2.5").Count("gpus"), Error);
  CHECK_THROWS_AS(Given("network=fast").Bandwidth("network"), Error);
  CHECK_THROWS_AS(Given("bucket=-1MB").Bytes("bucket"), Error);
}

}  // namespace
}  // namespace xsp
