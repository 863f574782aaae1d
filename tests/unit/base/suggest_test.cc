#include "base/suggest.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("distance counts letters added, removed, changed or swapped") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("import", "imprt") == 1);
  CHECK(EditDistance("import", "improt") == 1);
  CHECK(EditDistance("tree", "stats") == 4);
}

TEST_CASE("the nearest candidate is suggested, if it is near enough") {
  const std::vector<std::string> commands = {"import", "info", "critical-path"};
  CHECK(Suggest("imprt", commands) == "import");
  CHECK(Suggest("inof", commands) == "info");
  CHECK(Suggest("crit", commands) == "critical-path");
  CHECK_FALSE(Suggest("xyzzy", commands));
  CHECK_FALSE(Suggest("", commands));
  CHECK(DidYouMean("imprt", commands) == "did you mean 'import'?");
  CHECK(DidYouMean("xyzzy", commands).empty());
}

TEST_CASE("enormous names are not compared") {
  const std::vector<std::string> names = {std::string(100'000, 'a')};
  CHECK_FALSE(Suggest(std::string(100'000, 'b'), names));
}

}  // namespace
}  // namespace xsp
